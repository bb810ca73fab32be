"""The leader of a share partition dies before it could write dead letters: they are written after its next start."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.ours import OurNode
from compat.process import wait_until
from tests.compat.support.dead_letters import (
    COPIES,
    ENABLED,
    FIRST,
    REJECT,
    SECOND,
    Script,
    TwoBrokers,
    batch,
    group_of,
    written,
)
from tests.compat.support.share_dialogues import WAIT_S, set_group_configs

pytestmark = pytest.mark.slow


def test_dead_letters_survive_the_death_of_the_leader(tmp_path: Path) -> None:
    topic, queue = "orders", "dlq.orders"
    with TwoBrokers(tmp_path, OurNode) as cluster:
        cluster.format()
        cluster.start()
        topic_id = cluster.create(topic, FIRST)
        cluster.create(queue, SECOND, **ENABLED)
        # Both brokers may be the share coordinator: all of its state is on the first one.
        cluster.create("__share_group_state", FIRST)
        first, second = cluster.brokers[FIRST], cluster.brokers[SECOND]
        set_group_configs(first, group_of(topic), {"errors.deadletterqueue.topic.name": queue, **COPIES})
        cluster.begin_group(topic, topic_id, 1)
        script = Script.of(first, topic, topic_id, 0)
        script.produce(batch(b"a", b"b", b"c"))
        assert script.fetch() == [(0, 2, 1)]
        second.kill()
        script.say(0, 1, REJECT)
        # Before its connection ends: the leader would release the third record, and perhaps write how often it was
        # delivered.
        first.kill()
        script.close()
        first.start()
        second.start()
        for broker_id in (FIRST, SECOND):
            cluster.wait_until_unfenced(broker_id)
        assert written(second, queue, 0) == []
        script = Script.of(first, topic, topic_id, 0)
        # Nobody gets them again, and the record whose member is gone is there.
        wait_until(lambda: script.fetch() == [(2, 2, 1)], WAIT_S, "the record that nobody has rejected")
        wait_until(lambda: written(second, queue, 0) != [], WAIT_S, "dead letters")
        assert [value for _, value, _ in written(second, queue, 0)] == [b"a", b"b"]
        script.close()
