"""What tests of stages two to four share: a goal in the database, an outside world, a worker."""
