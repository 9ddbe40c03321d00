"""The servers of the platform on one machine, from wheels: started, watched and ended by one process.

`Supervisor` is the way in; `PlatformEndpoints` is what it gives. For one trusted machine: everything listens on
127.0.0.1.
"""
