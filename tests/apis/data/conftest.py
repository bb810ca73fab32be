"""What most tests of requests about records begin with."""

from __future__ import annotations

import pytest

from tests.apis.support.data_broker import ME, OTHER, DataBroker


@pytest.fixture
def broker() -> DataBroker:
    """There is the topic t, of which only this broker has a replica."""
    broker = DataBroker()
    broker.topic("t")
    return broker


@pytest.fixture
def replicated() -> DataBroker:
    """There is the topic t, which broker 0 replicates."""
    broker = DataBroker()
    broker.topic("t", [ME, OTHER])
    return broker
