"""A consumer is sent to the closest replica (KIP-392) while the metadata changes."""

from __future__ import annotations

import pytest

from kafkaproto.messages import UnregisterBrokerRequest
from tests.apis.data.test_fetch import rack_aware
from tests.apis.support.data_broker import OTHER, wanted


def test_a_replica_whose_broker_is_unregistered_is_not_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = rack_aware(OTHER)
    assert broker.fetch("t", wanted(), rack_id="r0").preferred_read_replica == OTHER
    # The partition has not heard of it yet, and has the broker in its ISR.
    monkeypatch.setattr(broker.replicas, "follow", lambda: None)
    broker.harness.call(UnregisterBrokerRequest(broker_id=OTHER))
    assert OTHER not in broker.harness.image.brokers
    assert OTHER in broker.replicas.partition("t", 0).isr
    found = broker.fetch("t", wanted(), rack_id="r0")
    assert (found.error_code, found.preferred_read_replica) == (0, -1)
