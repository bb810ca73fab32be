"""Dead letters of share partitions that are forgotten, loaded anew, or led by another broker (KIP-1191)."""

from __future__ import annotations

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.requests.share_state import ShareState, StateBatch
from kafkaproto_server.shell.share_partitions.led import LedSharePartition
from tests.apis.support.burying import ACCEPT, ARCHIVED, ARCHIVING, REJECT, RELEASE, Burying
from tests.apis.support.data_broker import ME, OTHER, batch
from tests.apis.support.sharing import LOCK_MS, acquired
from tests.core.controller.commands.test_reassignments import request as reassignments_request


@pytest.fixture
def burying() -> Burying:
    return Burying()


def forget(burying: Burying) -> None:
    """Ada's connection ends, and the share partition is forgotten with it."""
    burying.broker.services.shares.connection_ended(1)
    burying.broker.replicas.call_due()
    assert len(burying.broker.replicas.share_partitions._led) == 0


def load(burying: Burying, *batches: StateBatch) -> LedSharePartition:
    """The share partition is loaded anew; these are persisted of it."""
    burying.persister.state = ShareState(1, 0, batches=batches)
    burying.send_fetch(0)
    burying.persister.loaded()
    (led,) = burying.broker.replicas.share_partitions.partitions()
    return led


def test_what_was_rejected_is_written_though_the_share_partition_is_forgotten_meanwhile(
    burying: Burying,
) -> None:
    burying.write(b"a")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, REJECT)
    forget(burying)
    burying.persister.written()
    burying.settle()
    assert burying.offsets() == [0]
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 1),)


def test_what_is_spent_while_a_change_waits_is_not_written_by_a_leader_that_is_fenced(
    burying: Burying,
) -> None:
    burying.write(b"a")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, RELEASE)
    burying.persister.written()
    assert acquired(burying.fetch(2)) == [(0, 0, 2)]
    burying.send_acknowledgement(3, 0, 0, ACCEPT)
    burying.broker.replicas.pass_time(LOCK_MS)
    burying.persister.written(ErrorCode.FENCED_LEADER_EPOCH)
    burying.settle()
    assert len(burying.node) == 0
    assert burying.letters() == []


def test_who_was_forgotten_before_its_letter_was_known_does_not_hear_of_it(burying: Burying) -> None:
    transport = burying.hold()
    burying.write(b"a")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, REJECT)
    forget(burying)
    led = load(burying, StateBatch(0, 0, ARCHIVING, 1))
    burying.settle()
    # Now the one that was forgotten has the letter as well.
    burying.persister.written()
    burying.settle()
    assert transport.written() == [0]
    burying.settle()
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 1),)
    assert led.core is not None
    assert led.core.start_offset == 1


def test_who_was_forgotten_persists_nothing_once_another_one_is_loaded(burying: Burying) -> None:
    transport = burying.hold()
    burying.write(b"a")
    burying.begin()
    burying.send_acknowledgement(1, 0, 0, REJECT)
    forget(burying)
    load(burying)
    burying.persister.written()
    burying.settle()
    assert transport.written() == [0]
    burying.settle()
    assert burying.persister.writes == []


def test_letters_of_a_replica_that_is_gone_do_not_take_those_of_its_successor_along() -> None:
    burying = Burying()
    broker = burying.broker
    transport = burying.hold()
    burying.topic_id = broker.topic("u", [ME])
    assert broker.produce("u", batch(b"a")).error_code == 0
    burying.begin()
    burying.reject(0, 0)
    for replicas in ([OTHER], [ME]):
        broker.harness.call(reassignments_request(("u", 0, replicas)))
        broker.replicas.follow()
        brokers = broker.harness.image.brokers
        broker.harness.alter_partition("u", isr=[(each, brokers[each].epoch) for each in (ME, OTHER)])
        broker.replicas.follow()
    load(burying, StateBatch(0, 0, ARCHIVING, 1))
    burying.settle()
    assert len(transport.batches) == 2
    assert transport.written(ErrorCode.NETWORK_EXCEPTION) == [0]
    broker.replicas.pass_time(3_000)
    # The letter of the first replica is forgotten.
    assert len(burying.node) == 1
    assert transport.written() == [0]
    burying.settle()
    assert burying.persister.written().batches == (StateBatch(0, 0, ARCHIVED, 1),)
    assert len(burying.node) == 0


def test_letters_of_a_log_that_is_closed_are_forgotten(burying: Burying) -> None:
    transport = burying.hold()
    burying.write(b"a")
    burying.begin()
    burying.reject(0, 0)
    (led,) = burying.broker.replicas.share_partitions.partitions()
    led.hosted.log = None
    transport.written(ErrorCode.NETWORK_EXCEPTION)
    burying.broker.replicas.pass_time(3_000)
    burying.settle()
    assert transport.batches == []
    assert len(burying.node) == 0


def test_letters_that_wait_are_written_once_if_the_share_partition_is_loaded_anew(burying: Burying) -> None:
    transport = burying.hold()
    burying.write(b"a", b"b", b"c")
    burying.begin()
    burying.reject(0, 0)
    burying.reject(1, 1, epoch=2)
    burying.broker.services.shares.connection_ended(1)
    burying.broker.replicas.call_due()
    burying.persister.written()
    service = burying.broker.replicas.share_partitions
    assert len(service._led) == 0
    burying.persister.state = burying.persister.state._replace(
        batches=(StateBatch(0, 1, ARCHIVING, 1), StateBatch(2, 2, 0, 1))
    )
    burying.begin()
    burying.settle()
    assert transport.written() == [0]
    burying.settle()
    assert transport.written() == [1]
    burying.settle()
    assert transport.batches == []
    # What was loaded first knows no more what the others have.
    assert len(burying.persister.writes) == 2
    (led,) = service._led
    assert led.core is not None
    while burying.persister.writes:
        burying.persister.written()
    assert led.core.start_offset == 2


def test_only_one_hears_of_a_letter_however_often_the_share_partition_was_loaded(burying: Burying) -> None:
    transport = burying.hold()
    service = burying.broker.replicas.share_partitions
    burying.write(b"a")
    burying.begin()
    burying.reject(0, 0)
    burying.persister.state = burying.persister.state._replace(batches=(StateBatch(0, 0, ARCHIVING, 1),))
    for _ in range(3):
        burying.broker.services.shares.connection_ended(1)
        burying.settle()
        burying.send_fetch(0)
        burying.persister.loaded()
        burying.settle()
    # What was forgotten takes no memory.
    (outbox,) = burying.node._outboxes.values()
    assert list(outbox._sources) == list(service._led)
    burying.broker.services.shares.connection_ended(1)
    burying.settle()
    assert len(service._led) == 0
    assert transport.written() == [0]
    burying.settle()
    assert [each.batches for each, *_ in burying.persister.writes] == [(StateBatch(0, 0, ARCHIVED, 1),)]


def test_letters_of_a_partition_that_another_broker_leads_are_its_own() -> None:
    burying = Burying()
    broker = burying.broker
    transport = burying.hold()
    burying.topic_id = broker.topic("u", [ME, OTHER])
    assert broker.produce("u", batch(b"a")).error_code == 0
    broker.replicate("u", 1)
    burying.begin()
    burying.reject(0, 0)
    broker.harness.heartbeat(ME, want_fence=True)
    broker.replicas.follow()
    transport.written(ErrorCode.NETWORK_EXCEPTION)
    broker.replicas.pass_time(3_000)
    burying.settle()
    assert transport.batches == []
    assert len(burying.node) == 0
    assert burying.persister.writes == []
