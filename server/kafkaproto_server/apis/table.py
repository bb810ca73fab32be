"""The table of all APIs: one row each, which the API's own file defines.

What each listener serves, what ApiVersions advertises, how large requests may be, which requests are urgent and which
ones brokers forward: all of it follows from the rows. So the server advertises nothing that it does not serve. A new
API takes one file and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkaproto.api import api_by_key
from kafkaproto.message import Message
from kafkaproto_server.apis.admin import (
    alter_client_quotas,
    alter_configs,
    alter_partition_reassignments,
    create_partitions,
    create_topics,
    delete_topics,
    describe_client_quotas,
    describe_configs,
    describe_log_dirs,
    elect_leaders,
    incremental_alter_configs,
    list_config_resources,
    list_partition_reassignments,
)
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import SMALL, Bounds
from kafkaproto_server.apis.brokers import (
    allocate_producer_ids,
    alter_partition,
    assign_replicas_to_dirs,
    broker_heartbeat,
    broker_registration,
    controller_registration,
)
from kafkaproto_server.apis.cluster import (
    api_versions,
    describe_cluster,
    describe_topic_partitions,
    envelope,
    metadata,
    unregister_broker,
    unregister_controller,
    update_features,
)
from kafkaproto_server.apis.data import (
    alter_replica_log_dirs,
    delete_records,
    describe_producers,
    fetch,
    init_producer_id,
    list_offsets,
    offset_for_leader_epoch,
    produce,
    write_txn_markers,
)
from kafkaproto_server.apis.groups import (
    alter_share_group_offsets,
    consumer_group_describe,
    consumer_group_heartbeat,
    delete_groups,
    delete_share_group_offsets,
    describe_groups,
    describe_share_group_offsets,
    find_coordinator,
    heartbeat,
    join_group,
    leave_group,
    list_groups,
    offset_commit,
    offset_delete,
    offset_fetch,
    share_group_describe,
    share_group_heartbeat,
    streams_group_describe,
    streams_group_heartbeat,
    streams_group_topology_description_update,
    sync_group,
)
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.apis.raft import (
    add_raft_voter,
    begin_quorum_epoch,
    describe_quorum,
    end_quorum_epoch,
    fetch_snapshot,
    remove_raft_voter,
    update_raft_voter,
    vote,
)
from kafkaproto_server.apis.security import (
    alter_user_scram_credentials,
    create_acls,
    create_delegation_token,
    delete_acls,
    describe_acls,
    describe_delegation_token,
    describe_user_scram_credentials,
    expire_delegation_token,
    renew_delegation_token,
    sasl,
)
from kafkaproto_server.apis.share import share_acknowledge, share_fetch
from kafkaproto_server.apis.share_state import (
    delete_share_group_state,
    initialize_share_group_state,
    read_share_group_state,
    read_share_group_state_summary,
    write_share_group_state,
)
from kafkaproto_server.apis.transactions import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    describe_transactions,
    end_txn,
    list_transactions,
    txn_offset_commit,
)
from kafkaproto_server.base.later import Steps, StepsType, run_to_end
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.requests.refusals import Refusal


def advertised(kind: ListenerKind, services: Services) -> Mapping[int, tuple[int, int]]:
    """The versions that ApiVersions returns, by api key. Of a forwarded API it has only those that the active
    controller serves, too."""
    controller = services.controller.served_versions() if kind is ListenerKind.BROKER else None
    result: dict[int, tuple[int, int]] = {}
    for api_key, served in TABLE[kind].items():
        versions = served_versions(kind, api_key)
        assert versions is not None, f"api key {api_key} is in the table"
        lowest, highest = versions
        if served.is_forwarded and controller is not None:
            # Kafka's ApiVersionManager intersects in the same way: a client must not be offered
            # what fails later.
            if api_key not in controller:
                continue
            lowest = max(lowest, controller[api_key][0])
            highest = min(highest, controller[api_key][1])
        shown = APIS[api_key].advertised_from
        if lowest <= highest:
            result[api_key] = (lowest if shown is None else shown, highest)
    return result


_ROWS = (
    produce.API,
    fetch.API,
    list_offsets.API,
    metadata.API,
    offset_commit.API,
    offset_fetch.API,
    find_coordinator.API,
    join_group.API,
    heartbeat.API,
    leave_group.API,
    sync_group.API,
    describe_groups.API,
    list_groups.API,
    sasl.HANDSHAKE,
    api_versions.api(advertised),
    create_topics.API,
    delete_topics.API,
    delete_records.API,
    describe_acls.API,
    create_acls.API,
    delete_acls.API,
    describe_configs.API,
    alter_configs.API,
    alter_replica_log_dirs.API,
    describe_log_dirs.API,
    init_producer_id.API,
    offset_for_leader_epoch.API,
    add_partitions_to_txn.API,
    add_offsets_to_txn.API,
    end_txn.API,
    write_txn_markers.API,
    txn_offset_commit.API,
    sasl.AUTHENTICATE,
    create_partitions.API,
    create_delegation_token.API,
    renew_delegation_token.API,
    expire_delegation_token.API,
    describe_delegation_token.API,
    delete_groups.API,
    elect_leaders.API,
    incremental_alter_configs.API,
    alter_partition_reassignments.API,
    list_partition_reassignments.API,
    offset_delete.API,
    describe_client_quotas.API,
    alter_client_quotas.API,
    describe_user_scram_credentials.API,
    alter_user_scram_credentials.API,
    vote.API,
    begin_quorum_epoch.API,
    end_quorum_epoch.API,
    describe_quorum.API,
    alter_partition.API,
    update_features.API,
    envelope.API,
    fetch_snapshot.API,
    describe_cluster.API,
    describe_producers.API,
    describe_transactions.API,
    list_transactions.API,
    broker_registration.API,
    broker_heartbeat.API,
    unregister_broker.API,
    unregister_controller.API,
    allocate_producer_ids.API,
    consumer_group_heartbeat.API,
    consumer_group_describe.API,
    streams_group_heartbeat.API,
    streams_group_describe.API,
    streams_group_topology_description_update.API,
    controller_registration.API,
    assign_replicas_to_dirs.API,
    list_config_resources.API,
    describe_topic_partitions.API,
    share_group_heartbeat.API,
    share_group_describe.API,
    share_fetch.API,
    share_acknowledge.API,
    add_raft_voter.API,
    remove_raft_voter.API,
    update_raft_voter.API,
    initialize_share_group_state.API,
    read_share_group_state.API,
    write_share_group_state.API,
    delete_share_group_state.API,
    read_share_group_state_summary.API,
    describe_share_group_offsets.API,
    alter_share_group_offsets.API,
    delete_share_group_offsets.API,
)
"""In order of their API keys."""

APIS: Final[dict[int, Api]] = {api.key: api for api in _ROWS}
"""The rows by API key."""

TABLE: Final[dict[ListenerKind, dict[int, Served]]] = {
    ListenerKind.BROKER: {api.key: api.broker for api in _ROWS if api.broker is not None},
    ListenerKind.CONTROLLER: {api.key: api.controller for api in _ROWS if api.controller is not None},
}
"""What each kind of listener serves, by API key."""

URGENT_KEYS: Final = frozenset(api.key for api in _ROWS if api.is_urgent)

_MOST_ELEMENTS: Final = max(api.bounds.max_elements for api in _ROWS)


def served_versions(kind: ListenerKind, api_key: int) -> tuple[int, int] | None:
    """The lowest and highest version of an API that a kind of listener serves; None if it does not serve the API."""
    if api_key not in TABLE[kind]:
        return None
    api = api_by_key(api_key)
    assert api is not None, f"api key {api_key} is in the table but has no schema"
    return api.min_version, api.max_stable_version


def bounds_of(api_key: int, kind: ListenerKind | None = None) -> Bounds:
    """The bounds of an API on a kind of listener; `SMALL` for an API that is not served."""
    api = APIS.get(api_key)
    if api is None:
        return SMALL
    served = None if kind is None else TABLE[kind].get(api_key)
    return api.bounds if served is None or served.bounds is None else served.bounds


def possible_elements(api_key: int, body_bytes: int, kind: ListenerKind | None = None) -> int:
    """The largest number of elements that a request's body of this length can hold within its API's bounds. A request
    inside an envelope counts, too."""
    # Every element takes at least one byte.
    # The inner request decides, and it is not known before the envelope is opened.
    most = _MOST_ELEMENTS if api_key == envelope.API.key else bounds_of(api_key, kind).max_elements
    return min(body_bytes, most)


def elements_of(frame: bytes, body_offset: int, api_key: int, version: int, kind: ListenerKind) -> int:
    """The same for a request whose bytes are there, which may show that it can hold fewer."""
    body_bytes = len(frame) - body_offset
    api = APIS.get(api_key)
    if api is not None and api.most_elements is not None:
        body_bytes = api.most_elements(frame, body_offset, version)
    return possible_elements(api_key, body_bytes, kind)


def frame_limit(api_key: int, kind: ListenerKind | None = None) -> int:
    """The largest frame of an API that a kind of listener accepts, in bytes and without its size field."""
    return bounds_of(api_key, kind).max_bytes


def timeout_ms(request: Message) -> int | None:
    """The timeout that a request specifies; None if it has no timeout."""
    api = APIS[_key(request)]
    return None if api.timeout_ms is None else api.timeout_ms(request)


def refuse(request: Message, refusal: Refusal) -> Message | Steps[Message]:
    """The response to a request that is refused as a whole; steps if the response may be long."""
    return APIS[_key(request)].refuse(request, refusal)


def refuse_at_once(request: Message, refusal: Refusal) -> Message:
    """The same for a request that is known to be short: always a response, never steps."""
    response = refuse(request, refusal)
    return run_to_end(response) if isinstance(response, StepsType) else response


def _key(request: Message) -> int:
    assert request.API_KEY is not None, f"{request.NAME} is no request"
    return request.API_KEY
