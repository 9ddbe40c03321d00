"""The tests of this folder run without any server."""

from tests.support.server_refusal import pytest_runtest_call, pytest_runtest_setup, pytest_runtest_teardown

__all__ = ["pytest_runtest_call", "pytest_runtest_setup", "pytest_runtest_teardown"]
