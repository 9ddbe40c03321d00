"""Runs the platform's servers on one machine, installed from wheels, under one supervisor process.

`Supervisor` is the entry point; `PlatformEndpoints` is its result. For one trusted machine: everything listens on
127.0.0.1.
"""
