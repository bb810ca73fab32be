"""Fetch requests whose records are not in memory: a thread reads them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apis.support.data_broker import DataBroker, batch, wanted
from tests.apis.support.sharing import cold
from tests.sim.disk import MemoryFile


def test_a_session_is_told_later_of_records_for_which_a_response_had_no_room(
    broker: DataBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.topic("other")
    full = broker.fetch_request(("t", [wanted()]), ("other", [wanted()]), session_epoch=0)
    session: dict[str, Any] = {"session_id": broker.ask(full, 18).session_id}
    sent = batch(b"a")
    for name in ("t", "other"):
        broker.produce(name, sent)
    monkeypatch.setattr(MemoryFile, "read_now", cold)
    found = broker.ask(broker.fetch_request(**session, session_epoch=1, max_bytes=len(sent)), 18)
    (first,) = [each for each in found.responses if each.partitions[0].records]
    assert first.topic_id == broker.topic_id("t")
    found = broker.ask(broker.fetch_request(("t", [wanted(0, 1)]), **session, session_epoch=2), 18)
    (second,) = [each for each in found.responses if each.partitions[0].records]
    assert second.topic_id == broker.topic_id("other")
