"""What tests of requests about transactions begin with."""

from __future__ import annotations

import pytest

from tests.apis.support.transactional_broker import TransactionalBroker


@pytest.fixture
def broker() -> TransactionalBroker:
    """It coordinates the transactional ids, and leads t and other."""
    return TransactionalBroker()
