"""Found Footy: clips of every goal, proven and kept once."""
