"""The marker of runs that take minutes; ``bin/test --quick`` leaves them out."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "simulation: runs many seeds of the quorum's simulator")
