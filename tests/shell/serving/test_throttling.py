"""The quotas of clients as they meet them: how long they have to wait, and what they are told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    FetchRequest,
    FetchResponse,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
    ProduceResponse,
    WriteTxnMarkersRequest,
)
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.core.quotas.matching import ClientQuotas
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.metadata.image.apply_configs import quota_entity
from kafkaproto_server.requests.context import Encoded
from kafkaproto_server.shell.net.connections import CloseConnection, Held, Outcome, Throttled
from kafkaproto_server.shell.serving.dispatch import Dispatcher
from kafkaproto_server.shell.serving.throttling import Throttling
from tests.apis.support.data_broker import ME, OTHER, DataBroker, batch, wanted
from tests.apis.support.services import Calls, services
from tests.shell.serving.test_dispatch import IMAGE, connection, request, served

BOTH = [ListenerKind.BROKER, ListenerKind.CONTROLLER]


class Quotas:
    """Throttling by the quotas of the user ANONYMOUS, on a clock that stands still unless it is moved."""

    def __init__(self, **values: float) -> None:
        self.now_ms = 0
        self.throttling = Throttling(RateWindows(11, 1_000), lambda: self.now_ms)
        if values:
            self.throttling.use_quotas({quota_entity([("user", "ANONYMOUS")]): values})


def ask(
    dispatcher: Dispatcher, message: Message, version: int, kind: ListenerKind = ListenerKind.BROKER
) -> Outcome:
    (outcome,) = served(dispatcher, request(message, version, kind), connection(kind))
    return outcome


def decoded(outcome: Outcome, kind: type[Message], version: int) -> tuple[Any, int]:
    """The response, and for how many milliseconds the connection is muted."""
    mute_ms = 0
    if isinstance(outcome, Throttled):
        mute_ms, outcome = outcome.mute_ms, outcome.body
    assert isinstance(outcome, list), outcome
    return kind.decode(b"".join(outcome), version)[0], mute_ms


class Partner:
    """A broker with the topic t, and a client of it."""

    def __init__(self, **values: float) -> None:
        self.broker = DataBroker()
        self.broker.topic("t", [ME, OTHER])
        self.broker.replicas.follow()
        self.quotas = Quotas(**values)
        self.dispatcher = Dispatcher(self.broker.services, throttling=self.quotas.throttling)

    def produce(self, size: int, *, acks: int = 1) -> Outcome:
        records = batch(bytes(size))
        return ask(self.dispatcher, self.broker.produce_request(("t", 0, records), acks=acks), 13)

    def fetch(self, **fields: Any) -> tuple[FetchResponse, int]:
        message = self.broker.fetch_request(("t", [wanted()]), **fields)
        return decoded(ask(self.dispatcher, message, 18), FetchResponse, 18)


def test_a_producer_over_its_quota_is_told_and_muted() -> None:
    partner = Partner(producer_byte_rate=1_000.0)
    response, mute_ms = decoded(partner.produce(9_000), ProduceResponse, 13)
    assert (response.throttle_time_ms, mute_ms) == (0, 0)
    response, mute_ms = decoded(partner.produce(2_800), ProduceResponse, 13)
    # About 12,000 bytes, with the requests' own, in the time of ten seconds.
    assert 1_900 < mute_ms < 2_300
    assert response.throttle_time_ms == mute_ms
    assert response.responses[0].partition_responses[0].base_offset == 1
    partner.quotas.now_ms = 12_000
    response, mute_ms = decoded(partner.produce(5_000), ProduceResponse, 13)
    assert (response.throttle_time_ms, mute_ms) == (0, 0)


def test_a_producer_without_acks_is_muted_without_a_response() -> None:
    outcome = Partner(producer_byte_rate=1_000.0).produce(20_000, acks=0)
    assert isinstance(outcome, Throttled)
    assert outcome.body is None
    assert 10_000 < outcome.mute_ms < 10_500


def test_a_failure_without_acks_still_closes_the_connection() -> None:
    partner = Partner(producer_byte_rate=1_000.0)
    message = ProduceRequest(acks=0, topic_data=[])
    unknown = ProduceRequest.TopicProduceData(
        topic_id=b"\x05" * 16,
        partition_data=[ProduceRequest.PartitionProduceData(index=0, records=batch(bytes(20_000)))],
    )
    message.topic_data.append(unknown)
    assert isinstance(ask(partner.dispatcher, message, 13), CloseConnection)


def test_time_on_the_loop_does_not_throttle_a_producer_without_acks() -> None:
    assert Partner(request_percentage=1e-9).produce(10, acks=0) is None


def written(partner: Partner, count: int, size: int) -> None:
    for _ in range(count):
        partner.produce(size)
    partner.broker.replicate("t", count)


def test_a_consumer_over_its_quota_gets_no_records_and_can_go_on_afterwards() -> None:
    partner = Partner(consumer_byte_rate=1_000.0)
    written(partner, 3, 4_000)
    # Not more at once than ten seconds of the quota.
    response, mute_ms = partner.fetch()
    assert (response.throttle_time_ms, mute_ms) == (0, 0)
    first = len(response.responses[0].partitions[0].records or b"")
    assert 8_000 < first <= 10_000
    response, mute_ms = partner.fetch()
    assert response.responses == []
    assert response.throttle_time_ms == mute_ms
    assert mute_ms == pytest.approx(2 * first - 10_000, abs=2)
    # Nothing of that was counted.
    assert partner.fetch()[1] == mute_ms
    partner.quotas.now_ms = 11_000
    response, mute_ms = partner.fetch()
    assert (len(response.responses), mute_ms) == (1, 0)


def test_a_throttled_session_goes_on() -> None:
    partner = Partner(consumer_byte_rate=1_000.0)
    written(partner, 2, 4_000)
    session_id = partner.fetch(session_epoch=0)[0].session_id
    assert session_id
    message = partner.broker.fetch_request(("t", [wanted()]), session_id=session_id, session_epoch=1)
    response, mute_ms = decoded(ask(partner.dispatcher, message, 18), FetchResponse, 18)
    assert (response.responses, response.session_id) == ([], session_id)
    assert mute_ms > 0
    partner.quotas.now_ms = 60_000
    message = FetchRequest(session_id=session_id, session_epoch=2, max_bytes=1 << 20)
    response, mute_ms = decoded(ask(partner.dispatcher, message, 18), FetchResponse, 18)
    assert (response.error_code, mute_ms, len(response.responses)) == (0, 0, 1)


def test_a_throttled_request_begins_no_session() -> None:
    partner = Partner(consumer_byte_rate=1_000.0)
    written(partner, 2, 4_000)
    partner.fetch()
    response, mute_ms = partner.fetch(session_epoch=0)
    assert (response.error_code, response.session_id) == (0, 0)
    assert mute_ms > 0


def test_a_follower_is_exempt() -> None:
    partner = Partner(consumer_byte_rate=1.0, request_percentage=1e-9)
    written(partner, 3, 4_000)
    epoch = partner.broker.harness.image.brokers[OTHER].epoch
    response, mute_ms = partner.fetch(replica_id=OTHER, replica_epoch=epoch)
    assert mute_ms == 0
    assert len(response.responses[0].partitions[0].records or b"") > 12_000


def test_time_on_the_loop_is_charged_and_told() -> None:
    quotas = Quotas(request_percentage=1e-9)
    dispatcher = Dispatcher(services(IMAGE), throttling=quotas.throttling)
    outcome = ask(dispatcher, DescribeClusterRequest(), 1)
    # One window at most.
    response, mute_ms = decoded(outcome, DescribeClusterResponse, 1)
    assert (response.throttle_time_ms, mute_ms) == (1_000, 1_000)
    # This response is encoded by its handler.
    response, mute_ms = decoded(ask(dispatcher, MetadataRequest(topics=[]), 12), MetadataResponse, 12)
    assert (response.throttle_time_ms, mute_ms) == (1_000, 1_000)
    response, mute_ms = decoded(ask(dispatcher, MetadataRequest(topics=[]), 2), MetadataResponse, 2)
    assert (response.throttle_time_ms, mute_ms) == (0, 1_000)


def test_a_consumer_over_its_time_on_the_loop_gets_no_records_either() -> None:
    partner = Partner(request_percentage=1e-9)
    written(partner, 1, 100)
    response, mute_ms = partner.fetch()
    assert (response.throttle_time_ms, response.responses, mute_ms) == (1_000, [], 1_000)


def test_what_brokers_send_to_brokers_is_exempt() -> None:
    partner = Partner(request_percentage=1e-9)
    assert not isinstance(ask(partner.dispatcher, WriteTxnMarkersRequest(), 1), Throttled)


def test_the_controllers_listener_does_not_charge_time() -> None:
    quotas = Quotas(request_percentage=1e-9)
    dispatcher = Dispatcher(services(IMAGE), throttling=quotas.throttling)
    kind = ListenerKind.CONTROLLER
    assert not isinstance(ask(dispatcher, DescribeClusterRequest(endpoint_type=2), 1, kind), Throttled)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("is_encoded", [False, True])
def test_a_client_waits_as_long_as_the_controller_says(kind: ListenerKind, is_encoded: bool) -> None:
    calls, quotas = Calls(), Quotas(controller_mutation_rate=1.0)
    dispatcher = Dispatcher(services(IMAGE, calls), throttling=quotas.throttling)
    outcomes = served(dispatcher, request(CreateTopicsRequest(), 7, kind), connection(kind))
    response: Any = CreateTopicsResponse(
        throttle_time_ms=700,
        topics=[
            CreateTopicsResponse.CreatableTopicResult(
                name="t", error_code=ErrorCode.THROTTLING_QUOTA_EXCEEDED
            )
        ],
    )
    body = response.encode(7)
    calls.replies[0].resolve(Encoded(buffers=[body]) if is_encoded else response)
    ((found, mute_ms),) = [decoded(outcome, CreateTopicsResponse, 7) for outcome in outcomes]
    assert (found, mute_ms) == (response, 700)


def test_without_quotas_nothing_is_measured() -> None:
    quotas = Quotas()
    assert not quotas.throttling.is_on
    quotas.throttling.use_quotas({quota_entity([("user", "ANONYMOUS")]): {"request_percentage": 1e-9}})
    dispatcher = Dispatcher(services(IMAGE), throttling=quotas.throttling)
    assert isinstance(ask(dispatcher, DescribeClusterRequest(), 1), Throttled)
    quotas.throttling.use_quotas({})
    assert not isinstance(ask(dispatcher, DescribeClusterRequest(), 1), Throttled)


class NewConnections(Partner):
    """A partner whose client opens connections."""

    def write(
        self, number: int, size: int = 100, client_id: str = "me", listener: str = "PLAINTEXT"
    ) -> Outcome:
        """Produce at a connection of this number."""
        message = self.broker.produce_request(("t", 0, batch(bytes(size))), acks=1)
        where = msgspec.structs.replace(connection(number=number), listener_name=listener)
        event = msgspec.structs.replace(request(message, 13), client_id=client_id)
        (outcome,) = served(self.dispatcher, event, where)
        return outcome


def test_a_new_connection_of_a_client_over_its_quota_waits_before_it_is_served() -> None:
    partner = NewConnections(producer_byte_rate=1_000.0)
    # The two were there before.
    assert not isinstance(partner.write(2), Throttled)
    outcome = partner.write(1, 20_000)
    assert isinstance(outcome, Throttled)
    until_ms = outcome.mute_ms
    for number in range(3, 100):
        held = partner.write(number, 20_000)
        assert isinstance(held, Held)
        assert held.wait_ms == until_ms
    assert isinstance(partner.write(1, listener="ANOTHER"), Held)
    # As Kafka does: it is told, and waits then.
    outcome = partner.write(2)
    assert isinstance(outcome, Throttled)
    assert until_ms < outcome.mute_ms < until_ms + 500
    # Those that came before are over the quota still. It has waited, and is one of them now.
    partner.quotas.now_ms = until_ms - 1
    assert partner.write(3) == Held(wait_ms=1)
    partner.quotas.now_ms = until_ms
    assert isinstance(partner.write(3), Throttled)
    assert isinstance(partner.write(3), Throttled)
    assert isinstance(partner.write(100), Held)


def test_a_new_connection_does_not_wait_for_ever_for_those_that_were_there_before() -> None:
    partner = NewConnections(producer_byte_rate=1_000.0)
    muted_until, served_ms = dict.fromkeys((1, 2), 0), None
    for number in muted_until:
        partner.write(number)
    while served_ms is None and partner.quotas.now_ms < 600_000:
        for number in (1, 2):
            if partner.quotas.now_ms >= muted_until[number]:
                outcome = partner.write(number, 20_000)
                assert not isinstance(outcome, Held)
                wait_ms = outcome.mute_ms if isinstance(outcome, Throttled) else 0
                muted_until[number] = partner.quotas.now_ms + wait_ms
        if partner.quotas.now_ms and not isinstance(partner.write(3), Held):
            served_ms = partner.quotas.now_ms
        partner.quotas.now_ms += 100
    assert served_ms is not None
    assert served_ms < 60_000


def test_a_connection_that_has_ended_is_forgotten() -> None:
    partner = NewConnections(producer_byte_rate=1_000.0)
    partner.write(1, 20_000)
    for number in range(2, 50):
        assert isinstance(partner.write(number), Held)
    for number in range(2, 50):
        partner.dispatcher.connection_ended(connection(number=number))
    assert not partner.quotas.throttling._served_from


def test_what_new_connections_send_exceeds_a_quota_once_only() -> None:
    partner = NewConnections(producer_byte_rate=1_000.0)
    accepted = 0
    for number in range(1, 1_000):
        partner.quotas.now_ms += 100
        accepted += not isinstance(partner.write(number, 5_000), Held)
    # A hundred seconds, and what is allowed at once.
    assert accepted * 5_000 < 100_000 + 20_000


def test_only_those_wait_that_the_quota_is_for() -> None:
    partner = NewConnections()
    quotas: ClientQuotas = {
        quota_entity([("user", "ANONYMOUS"), ("client-id", None)]): {"producer_byte_rate": 1_000.0}
    }
    partner.quotas.throttling.use_quotas(quotas)
    assert isinstance(partner.write(1, 20_000, "a"), Throttled)
    assert isinstance(partner.write(2, 100, "a"), Held)
    assert not isinstance(partner.write(3, 100, "b"), Held | Throttled)
    # It may go on with all else.
    assert not isinstance(ask(partner.dispatcher, DescribeClusterRequest(), 1), Held)
    # Another quota begins anew.
    partner.quotas.throttling.use_quotas(dict(quotas))
    assert not isinstance(partner.write(4, 100, "a"), Held)


def test_a_new_connection_of_a_consumer_over_its_quota_gets_no_records() -> None:
    partner = Partner(consumer_byte_rate=1_000.0)
    written(partner, 3, 4_000)
    partner.produce(10)
    partner.broker.replicate("t", 4)
    partner.fetch()
    until_ms = partner.fetch()[1]
    assert until_ms > 0
    partner.quotas.now_ms = until_ms - 100
    message = partner.broker.fetch_request(("t", [wanted(0, 3)]))

    def fetch(number: int) -> tuple[FetchResponse, int]:
        (outcome,) = served(partner.dispatcher, request(message, 18), connection(number=number))
        return decoded(outcome, FetchResponse, 18)

    response, mute_ms = fetch(2)
    assert (response.responses, response.throttle_time_ms, mute_ms) == ([], 100, 100)
    # So little is not too much, for a connection that was there before.
    response, mute_ms = fetch(1)
    assert (len(response.responses), mute_ms) == (1, 0)


def test_a_new_connection_waits_for_time_on_the_loop() -> None:
    quotas = Quotas(request_percentage=1e-9)
    dispatcher = Dispatcher(services(IMAGE), throttling=quotas.throttling)
    assert isinstance(ask(dispatcher, DescribeClusterRequest(), 1), Throttled)
    (outcome,) = served(dispatcher, request(DescribeClusterRequest(), 1), connection(number=2))
    assert outcome == Held(wait_ms=1_000)


def test_a_new_connection_waits_for_changes_of_partitions() -> None:
    calls, quotas = Calls(), Quotas(controller_mutation_rate=1.0)
    dispatcher = Dispatcher(services(IMAGE, calls), throttling=quotas.throttling)
    served(dispatcher, request(CreateTopicsRequest(), 5), connection())
    calls.replies[0].resolve(CreateTopicsResponse(throttle_time_ms=700))
    assert served(dispatcher, request(CreateTopicsRequest(), 5), connection(number=2)) == [Held(wait_ms=700)]
    (outcome,) = served(dispatcher, request(DescribeClusterRequest(), 1), connection(number=2))
    assert not isinstance(outcome, Held)
