"""The operations that Kafka's documentation gives for each api, held against what is served to whom.

Each request is sent by somebody who may do what its row says and nothing else, and by somebody who may do everything
else. What brokers forward goes through the envelope, whose sender may do anything.

Tests: `apis.data.alter_replica_log_dirs`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto_server.apis.access import CheckedBy
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.apis.table import TABLE
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.security.acls import CLUSTER_NAME, Operation, ResourceType
from tests.apis.support.cluster import BROKER, CONTROLLER, FORWARDER
from tests.apis.support.good_requests import OF_TOPIC, PreparedCluster, good_requests
from tests.apis.support.services import context, decoded_response, take_response, with_changes
from tests.apis.test_wrong_fields import is_of_quorum, problems
from tests.metadata.security.support.acl_making import acl, authorizer

Need = tuple[Operation, ResourceType]
TOPIC, CLUSTER, GROUP = ResourceType.TOPIC, ResourceType.CLUSTER, ResourceType.GROUP
ALTER, DESCRIBE = (Operation.ALTER, CLUSTER), (Operation.DESCRIBE, CLUSTER)
READ, WRITE = (Operation.READ, TOPIC), (Operation.WRITE, TOPIC)
READ_GROUP, DESCRIBE_GROUP = (Operation.READ, GROUP), (Operation.DESCRIBE, GROUP)
DELETE_GROUP, DESCRIBE_TOPIC = (Operation.DELETE, GROUP), (Operation.DESCRIBE, TOPIC)
TRANSACTIONAL_ID = ResourceType.TRANSACTIONAL_ID
WRITE_ID, DESCRIBE_ID = (Operation.WRITE, TRANSACTIONAL_ID), (Operation.DESCRIBE, TRANSACTIONAL_ID)
CLUSTER_ACTION = (Operation.CLUSTER_ACTION, CLUSTER)
DESCRIBE_CONFIGS, ALTER_CONFIGS = (Operation.DESCRIBE_CONFIGS, CLUSTER), (Operation.ALTER_CONFIGS, CLUSTER)

DOCUMENTED: dict[int, tuple[Need, ...]] = {
    0: (WRITE,),
    1: (CLUSTER_ACTION, READ),
    2: ((Operation.DESCRIBE, TOPIC),),
    3: ((Operation.DESCRIBE, TOPIC),),
    10: (DESCRIBE_GROUP,),
    11: (READ_GROUP,),
    12: (READ_GROUP,),
    13: (READ_GROUP,),
    14: (READ_GROUP,),
    15: (DESCRIBE_GROUP,),
    16: (DESCRIBE, DESCRIBE_GROUP),
    17: (),
    18: (),
    19: ((Operation.CREATE, CLUSTER), (Operation.CREATE, TOPIC)),
    20: ((Operation.DELETE, TOPIC),),
    21: ((Operation.DELETE, TOPIC),),
    22: ((Operation.IDEMPOTENT_WRITE, CLUSTER),),
    23: (CLUSTER_ACTION, (Operation.DESCRIBE, TOPIC)),
    24: (WRITE_ID, CLUSTER_ACTION),
    25: (WRITE_ID,),
    26: (WRITE_ID,),
    27: (CLUSTER_ACTION,),
    28: (WRITE_ID,),
    29: (DESCRIBE,),
    30: (ALTER,),
    31: (ALTER,),
    32: (DESCRIBE_CONFIGS, (Operation.DESCRIBE_CONFIGS, TOPIC)),
    33: (ALTER_CONFIGS, (Operation.ALTER_CONFIGS, TOPIC)),
    34: (ALTER,),
    35: (DESCRIBE,),
    36: (),
    37: ((Operation.ALTER, TOPIC),),
    38: ((Operation.CREATE_TOKENS, ResourceType.USER),),
    39: (),
    40: (),
    41: (
        (Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN),
        (Operation.DESCRIBE_TOKENS, ResourceType.USER),
    ),
    42: (DELETE_GROUP,),
    43: (CLUSTER_ACTION,),
    44: (ALTER_CONFIGS, (Operation.ALTER_CONFIGS, TOPIC)),
    45: (ALTER,),
    46: (DESCRIBE,),
    48: (DESCRIBE_CONFIGS,),
    49: (ALTER_CONFIGS,),
    50: (DESCRIBE,),
    51: (ALTER,),
    52: (CLUSTER_ACTION,),
    53: (CLUSTER_ACTION,),
    54: (CLUSTER_ACTION,),
    55: (DESCRIBE,),
    56: (CLUSTER_ACTION,),
    57: (ALTER,),
    58: (CLUSTER_ACTION,),
    59: (CLUSTER_ACTION,),
    60: (DESCRIBE,),
    61: (READ,),
    62: (CLUSTER_ACTION,),
    63: (CLUSTER_ACTION,),
    64: (ALTER,),
    65: (DESCRIBE_ID,),
    66: (DESCRIBE_ID,),
    67: (CLUSTER_ACTION,),
    70: (CLUSTER_ACTION,),
    73: (CLUSTER_ACTION,),
    78: (READ_GROUP,),
    79: (READ_GROUP,),
    83: (CLUSTER_ACTION,),
    84: (CLUSTER_ACTION,),
    85: (CLUSTER_ACTION,),
    86: (CLUSTER_ACTION,),
    87: (CLUSTER_ACTION,),
    8: (READ_GROUP,),
    9: (DESCRIBE_GROUP,),
    47: (DELETE_GROUP,),
    68: (READ_GROUP,),
    69: (DESCRIBE_GROUP,),
    76: (READ_GROUP,),
    77: (DESCRIBE_GROUP,),
    90: (DESCRIBE_GROUP,),
    91: (READ_GROUP,),
    92: (DELETE_GROUP,),
    74: (DESCRIBE_CONFIGS,),
    75: ((Operation.DESCRIBE, TOPIC),),
}
"""By api key: each of these is enough; () where there is no ACL for it, or a rule of its own."""

SERVED_OTHERWISE: dict[tuple[ListenerKind, int], tuple[Need, ...]] = {
    # A controller has no consumers.
    (CONTROLLER, 1): (CLUSTER_ACTION,),
    # Who may write to a topic needs no leave for the id under which that is done (KIP-679).
    (BROKER, 22): ((Operation.IDEMPOTENT_WRITE, CLUSTER), WRITE),
    # The table is of the time before unclean elections could be asked for; nodes want more since then.
    (BROKER, 43): (ALTER,),
    (CONTROLLER, 43): (ALTER,),
    # Who deletes in the cluster needs no leave for the topic, of which the table says nothing.
    (CONTROLLER, 20): ((Operation.DELETE, TOPIC), (Operation.DELETE, CLUSTER)),
    (BROKER, 20): ((Operation.DELETE, TOPIC), (Operation.DELETE, CLUSTER)),
    # An administrator who aborts a hanging transaction (KIP-664).
    (BROKER, 27): (CLUSTER_ACTION, ALTER),
    # Any client of a broker has to find the others; only what it may do is for who may describe the cluster.
    (BROKER, 60): (),
    (CONTROLLER, 60): (ALTER,),
    # Not in the table.
    (BROKER, 80): (ALTER,),
    (BROKER, 81): (ALTER,),
    (CONTROLLER, 80): (ALTER,),
    (CONTROLLER, 81): (ALTER,),
    (CONTROLLER, 82): (CLUSTER_ACTION,),
    (BROKER, 88): (READ_GROUP,),
    (BROKER, 89): (DESCRIBE_GROUP,),
    (BROKER, 93): (READ_GROUP,),
    (BROKER, 94): (ALTER,),
    (CONTROLLER, 94): (ALTER,),
}
"""What stock 4.3.1 nodes (UnregisterController: 4.4.0), and ours, ask for in place of what is documented."""
REFUSES_ALL = {17, 36}
"""Nobody authenticates at a listener without SASL."""
HIDES = {16, 41, 66}
"""Leave out what somebody may not see and refuse nothing (`test_security_descriptions`, `test_group_lists`,
`test_list_transactions`)."""
ALSO_NEEDED: dict[int, tuple[Need, ...]] = {
    8: (READ,),
    9: (DESCRIBE_TOPIC,),
    24: (WRITE,),
    25: (READ_GROUP,),
    28: (READ_GROUP, READ),
    47: (READ,),
    68: (DESCRIBE_TOPIC,),
    69: (DESCRIBE_TOPIC,),
    76: (DESCRIBE_TOPIC,),
    77: (DESCRIBE_TOPIC,),
    90: (DESCRIBE_TOPIC,),
    91: (READ,),
    92: (READ,),
    78: (READ,),
    79: (READ,),
    88: (DESCRIBE_TOPIC,),
    89: (DESCRIBE_TOPIC,),
}
"""What is needed beside: on the topics of the group or transaction, and on the group whose offsets take part."""

DENIALS = {
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED,
}
IMPLIED_BY = {
    Operation.DESCRIBE: {Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER},
    Operation.DESCRIBE_CONFIGS: {Operation.ALTER_CONFIGS},
}
EVERYTHING = [
    (operation, resource_type)
    for operation in Operation
    if operation > Operation.ALL
    for resource_type in ResourceType
    if resource_type > ResourceType.ANY
]


def rows() -> list[Any]:
    return [
        pytest.param(kind, key, id=f"{kind.value}-{api.request_class.NAME}")
        for kind, table in TABLE.items()
        for key in table
        if key not in HIDES | REFUSES_ALL and (api := api_by_key(key)) is not None
    ]


def needs(kind: ListenerKind, request: Message) -> tuple[Need, ...]:
    """What is enough for a request."""
    assert request.API_KEY is not None
    key = request.API_KEY
    row = SERVED_OTHERWISE[kind, key] if (kind, key) in SERVED_OTHERWISE else DOCUMENTED[key]
    if (kind, key) == (BROKER, 1):
        is_follower = request.replica_state.replica_id >= 0  # type: ignore[attr-defined]
        return (CLUSTER_ACTION,) if is_follower else (READ,)
    if key == 24:
        # As brokers ask, or as producers do.
        return row[:1] if request.v3_and_below_transactional_id else row[1:]  # type: ignore[attr-defined]
    if key == 22 and request.transactional_id is not None:  # type: ignore[attr-defined]
        return (WRITE_ID,)
    if key == 10 and request.key_type == 1:  # type: ignore[attr-defined]
        return (DESCRIBE_ID,)
    if key in (32, 33, 44):
        # The table's two rows are for resources of two types.
        is_of_topic = request.resources[0].resource_type == OF_TOPIC  # type: ignore[attr-defined]
        return tuple(need for need in row if (need[1] is TOPIC) is is_of_topic)
    return row


def requests(cluster: PreparedCluster, key: int) -> list[tuple[Message, int]]:
    """Requests of an api that are carried out or answered where that is allowed."""
    found = [(request, version) for request, version in good_requests(cluster) if key == request.API_KEY]
    if not found:
        api = api_by_key(key)
        assert api is not None
        found.append((api.request_class(), api.max_stable_version))
    return found


def codes(kind: ListenerKind, key: int, number: int, may: Iterable[Need]) -> tuple[set[int], bool]:
    """The errors of a request's answer where alice may do no more than this, and whether anything was written."""
    cluster = PreparedCluster()
    request, version = requests(cluster, key)[number]
    entries = [
        acl(
            operation=operation,
            resource_type=resource_type,
            resource_name=CLUSTER_NAME if resource_type is CLUSTER else "*",
        )
        for operation, resource_type in may
    ]
    guard = authorizer(*entries, super_users=frozenset({FORWARDER}))
    cluster.services = with_changes(cluster.services, authorizer=lambda: guard)
    end = cluster.harness.next_offset
    name = "PLAINTEXT" if kind is BROKER else "CONTROLLER"
    cluster.replicas.follow()
    records = cluster.replicas.written
    taken: list[Any] = []
    take_response(
        dispatch(request, context(request, version, kind=kind, listener_name=name), cluster.services),
        taken.append,
    )
    # A group that is joined has its generation at once, but not before the timers have their turn.
    cluster.replicas.pass_time(0)
    found = [decoded_response(each, request, version) for each in taken]
    # What the quorum's core is asked has no answer here, so it was not refused.
    assert found or is_of_quorum(kind, key)
    for response in found:
        response.encode(version)
    is_written = cluster.harness.next_offset != end or cluster.replicas.written != records
    return {code for response in found for code, _ in problems(response)}, is_written


@pytest.mark.parametrize(("kind", "key"), rows())
def test_who_may_do_what_is_documented_is_served(kind: ListenerKind, key: int) -> None:
    for number, (request, _) in enumerate(requests(PreparedCluster(), key)):
        beside = ALSO_NEEDED.get(key, ())
        for may in [[need, *beside] for need in needs(kind, request)] or [[]]:
            found, _ = codes(kind, key, number, may)
            assert not found & DENIALS, may


@pytest.mark.parametrize(("kind", "key"), rows())
def test_who_may_do_everything_else_is_not_served(kind: ListenerKind, key: int) -> None:
    for number, (request, version) in enumerate(requests(PreparedCluster(), key)):
        enough = set(needs(kind, request))
        if not enough:
            continue
        for operation, resource_type in tuple(enough):
            enough |= {(each, resource_type) for each in IMPLIED_BY.get(operation, ())}
        found, is_written = codes(kind, key, number, [each for each in EVERYTHING if each not in enough])
        assert found, version
        assert found <= DENIALS
        assert not is_written


def test_every_api_has_its_row() -> None:
    documented = {(kind, key) for kind, table in TABLE.items() for key in table if key in DOCUMENTED}
    served = {(kind, key) for kind, table in TABLE.items() for key in table}
    assert served == documented | SERVED_OTHERWISE.keys()
    # What is no departure stands in one table only.
    assert not [(kind, key) for (kind, key), row in SERVED_OTHERWISE.items() if row == DOCUMENTED.get(key)]


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind, table in TABLE.items() for key in table], ids=str
)
def test_the_table_tells_what_is_asked_for(kind: ListenerKind, key: int) -> None:
    served = TABLE[kind][key]
    row = SERVED_OTHERWISE[kind, key] if (kind, key) in SERVED_OTHERWISE else DOCUMENTED[key]
    access = served.access
    if access is None:
        assert not row
    elif access.checked_by is CheckedBy.DISPATCH:
        assert row == tuple((operation, CLUSTER) for operation in access.operations)
    elif access.checked_by is CheckedBy.CONTROLLER:
        assert served.is_forwarded
        assert key in TABLE[CONTROLLER]
    else:
        assert access.operation in {operation for operation, _ in row}
        assert access.resource_type in {ResourceType.ANY, *(resource_type for _, resource_type in row)}
