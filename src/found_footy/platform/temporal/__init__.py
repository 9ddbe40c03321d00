"""Temporal: the client, steps, schedules, task queues, versions of workers, failures, replay."""
