"""InitProducerId. What the errors are in each case was compared with those of a node of Apache Kafka 4.4.0 to the same
requests."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import InitProducerIdRequest
from kafkaproto_server.metadata.security.acls import CLUSTER_NAME, Operation, ResourceType
from tests.apis.support.data_broker import DataBroker
from tests.apis.support.replicas import FIRST_PRODUCER_ID
from tests.apis.support.services import with_changes
from tests.apis.support.transactional_broker import TransactionalBroker
from tests.metadata.security.support.acl_making import acl, authorizer

VERSIONS = range(6)


@pytest.fixture
def broker() -> DataBroker:
    return DataBroker()


def ask(broker: DataBroker, version: int = 5, **fields: Any) -> tuple[int, int, int]:
    """Error, id and epoch."""
    given = {"transactional_id": None, "transaction_timeout_ms": 60_000, **fields}
    found = broker.ask(InitProducerIdRequest(**given), version)
    return found.error_code, found.producer_id, found.producer_epoch


@pytest.mark.parametrize("version", VERSIONS)
def test_each_producer_gets_another_id_and_epoch_0(broker: DataBroker, version: int) -> None:
    assert [ask(broker, version) for _ in range(2)] == [
        (0, FIRST_PRODUCER_ID, 0),
        (0, FIRST_PRODUCER_ID + 1, 0),
    ]


@pytest.mark.parametrize("version", [3, 4, 5])
def test_a_producer_that_names_its_id_and_epoch_gets_a_new_id_all_the_same(
    broker: DataBroker, version: int
) -> None:
    assert ask(broker, version, producer_id=77, producer_epoch=3) == (0, FIRST_PRODUCER_ID, 0)


@pytest.mark.parametrize("fields", [{"producer_id": 77}, {"producer_epoch": 3}])
def test_an_id_without_an_epoch_is_refused_and_so_is_the_reverse(
    broker: DataBroker, fields: dict[str, int]
) -> None:
    assert ask(broker, **fields) == (ErrorCode.INVALID_REQUEST, -1, -1)


@pytest.mark.parametrize(
    ("need", "may"),
    [
        ((Operation.IDEMPOTENT_WRITE, ResourceType.CLUSTER, CLUSTER_NAME), True),
        ((Operation.WRITE, ResourceType.TOPIC, "t"), True),
        ((Operation.ALL, ResourceType.TOPIC, "t"), True),
        ((Operation.WRITE, ResourceType.CLUSTER, CLUSTER_NAME), False),
        ((Operation.READ, ResourceType.TOPIC, "t"), False),
        ((Operation.WRITE, ResourceType.GROUP, "g"), False),
    ],
    ids=lambda value: value if isinstance(value, bool) else f"{value[0].name} {value[1].name}",
)
def test_who_may_write_anywhere_may_have_an_id(
    broker: DataBroker, need: tuple[Operation, ResourceType, str], may: bool
) -> None:
    broker.allow(need)
    assert ask(broker)[0] == (0 if may else ErrorCode.CLUSTER_AUTHORIZATION_FAILED)


def test_a_transactional_id_of_another_broker_has_no_producer_here(broker: DataBroker) -> None:
    assert ask(broker, transactional_id="mine") == (ErrorCode.NOT_COORDINATOR, -1, -1)
    assert ask(broker, transactional_id="") == (ErrorCode.INVALID_REQUEST, -1, -1)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_producer_of_a_transactional_id_gets_the_next_epoch(version: int) -> None:
    broker = TransactionalBroker()
    found = [ask(broker, version, transactional_id="mine") for _ in range(2)]
    assert found == [(0, FIRST_PRODUCER_ID, 0), (0, FIRST_PRODUCER_ID, 1)]


def test_a_producer_may_say_who_it_was() -> None:
    broker = TransactionalBroker()
    assert ask(broker, transactional_id="mine") == (0, FIRST_PRODUCER_ID, 0)
    known: dict[str, Any] = {"transactional_id": "mine", "producer_id": FIRST_PRODUCER_ID}
    assert ask(broker, **known, producer_epoch=0) == (0, FIRST_PRODUCER_ID, 1)
    assert ask(broker, **known, producer_epoch=5) == (ErrorCode.PRODUCER_FENCED, -1, -1)
    assert ask(broker, 3, **known, producer_epoch=5) == (ErrorCode.INVALID_PRODUCER_EPOCH, -1, -1)
    assert ask(broker, **known) == (ErrorCode.INVALID_REQUEST, -1, -1)


@pytest.mark.parametrize("timeout_ms", [0, -1, 900_001])
def test_a_timeout_has_limits(timeout_ms: int) -> None:
    found = ask(TransactionalBroker(), transactional_id="mine", transaction_timeout_ms=timeout_ms)
    assert found == (ErrorCode.INVALID_TRANSACTION_TIMEOUT, -1, -1)


def test_a_transactional_id_needs_write_on_it() -> None:
    broker = TransactionalBroker()
    broker.allow((Operation.WRITE, ResourceType.TOPIC, "*"))
    denied = (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, -1, -1)
    assert ask(broker, transactional_id="mine") == denied
    broker.allow((Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "mine"))
    assert ask(broker, transactional_id="mine")[0] == 0


def test_a_producer_waits_for_the_next_block_of_ids(broker: DataBroker) -> None:
    waiting: list[Any] = []
    broker.services = with_changes(broker.services, producer_ids=SimpleNamespace(next=waiting.append))
    found = broker.send(InitProducerIdRequest(transactional_id=None), 5)
    assert found == []
    waiting[0](1234)
    assert found[0].producer_id == 1234


def test_if_too_many_wait_for_ids_a_producer_is_told_to_ask_again(broker: DataBroker) -> None:
    broker.services = with_changes(
        broker.services, producer_ids=SimpleNamespace(next=lambda take: take(None))
    )
    assert ask(broker) == (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, -1, -1)


def test_who_may_write_to_no_topic_gets_no_id_even_if_what_has_no_acl_is_open_to_everyone(
    broker: DataBroker,
) -> None:
    elsewhere = acl(operation=Operation.WRITE, resource_name="*", host="192.0.2.1")
    on_cluster = acl(
        operation=Operation.ALTER, resource_type=ResourceType.CLUSTER, resource_name=CLUSTER_NAME
    )
    guard = authorizer(elsewhere, on_cluster, allow_everyone_if_no_acl_found=True)
    broker.services = with_changes(broker.services, authorizer=lambda: guard)
    assert ask(broker) == (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, -1, -1)
    # A topic that no ACL is about is open.
    guard = authorizer(acl(resource_name="t"), on_cluster, allow_everyone_if_no_acl_found=True)
    assert ask(broker)[0] == 0
