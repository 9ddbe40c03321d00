"""The MongoDB driver, closed while it connects, leaves the socket it was connecting to the garbage collector.

On a crowded machine that happens in any test that opens a client or starts a mongod, and no code of ours can reach that
socket. Sockets that the driver makes are therefore closed by the collector without a word; all others are reported.
"""

import socket
from types import ModuleType

from pymongo import pool_shared


class _DriverSocket(socket.socket):
    def __del__(self) -> None:
        self.close()


_module = ModuleType("socket")
vars(_module).update(vars(socket))
vars(_module)["socket"] = _DriverSocket
vars(pool_shared)["socket"] = _module
