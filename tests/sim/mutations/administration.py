"""Broken rules of administrators' requests, at least one for each module of the controller that makes records for them,
and of what the controller does by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterClientQuotasResponse, PartitionChangeRecord
from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.core.controller.brokers import unregister_broker
from kafkaproto_server.core.controller.commands import alter_client_quotas as client_quotas
from kafkaproto_server.core.controller.commands import alter_configs, create_partitions, elect_leaders
from kafkaproto_server.core.controller.commands import alter_partition_reassignments as reassignments
from kafkaproto_server.core.controller.machine import periodic_tasks, table
from kafkaproto_server.core.controller.machine.table import COMMANDS
from kafkaproto_server.core.controller.partitions import leader_balance
from kafkaproto_server.core.controller.partitions.partitions import Goal
from kafkaproto_server.core.controller.values.command import CommandResult
from tests.sim.metadata.checker import MetadataInvariant
from tests.sim.mutations.mutation import Mutation, Patches, cluster_mutation, finds_nothing

_DELETE_TOPICS, _DELETE_ACLS, _QUOTAS, _CREDENTIALS, _FEATURES = 20, 31, 49, 51, 57
_EXPIRE_TOKEN, _PRODUCER_IDS = 40, 67


def _runs(api_key: int, change: Callable[[Any, Any, CommandResult], CommandResult]) -> Callable[[], Patches]:
    """Give a command another result: ``change`` is a function of the situation, the request, and the right result."""

    def patches() -> Patches:
        command = COMMANDS[api_key]

        def run(situation: Any, request: Any) -> CommandResult:
            decision = command(situation, request)
            result = decision if isinstance(decision, CommandResult) else run_to_end(decision)
            return change(situation, request, result)

        return [(table, "COMMANDS", {**COMMANDS, api_key: run})]

    return patches


def _records_nothing(api_key: int) -> Callable[[], Patches]:
    return _runs(api_key, lambda _situation, _request, result: msgspec.structs.replace(result, records=()))


def _one_partition_more() -> Patches:
    original = create_partitions._new_partitions

    def new_partitions(situation: Any, topic: Any, request: Any, brokers: Any) -> Any:
        more = type(request)(name=request.name, count=request.count + 1, assignments=request.assignments)
        return original(situation, topic, more, brokers)

    return [(create_partitions, "_new_partitions", new_partitions)]


def _elects_whoever_is_first() -> Patches:
    def elect(image: Any, changes: Any, name: str, index: int, _election: Any) -> None:
        topic = image.topic_by_name(name)
        changes.records.append(
            PartitionChangeRecord(
                partition_id=index, topic_id=topic.topic_id, leader=topic.partitions[index].replicas[0]
            )
        )

    return [(elect_leaders, "_elect", elect)]


def _half_a_quota(_situation: Any, request: Any, result: CommandResult) -> CommandResult:
    """The first key of an entity is written although the second is wrong."""
    assert isinstance(result.response, AlterClientQuotasResponse)
    refused = [
        client_quotas._record(client_quotas._entity(entry), entry.ops[0])
        for entry, response in zip(request.entries, result.response.entries, strict=True)
        if response.error_code != ErrorCode.NONE
    ]
    return msgspec.structs.replace(result, records=(*result.records, *refused))


MUTATIONS: tuple[Mutation, ...] = (
    cluster_mutation("adds a partition too many", MetadataInvariant.LINEARIZABLE, _one_partition_more),
    cluster_mutation(
        "says of topics that they are deleted",
        MetadataInvariant.LINEARIZABLE,
        _records_nothing(_DELETE_TOPICS),
    ),
    cluster_mutation(
        "elects the first replica, in sync or not", MetadataInvariant.LEADER_IN_ISR, _elects_whoever_is_first
    ),
    cluster_mutation(
        "never gives leadership back",
        MetadataInvariant.PREFERRED_AT_LAST,
        lambda: [(leader_balance, "_elected", finds_nothing)],
    ),
    cluster_mutation(
        "takes replicas away at once",
        MetadataInvariant.ISR_WITHIN_REPLICAS,
        lambda: [(reassignments, "_begun", lambda _, target: Goal(replicas=target))],
    ),
    cluster_mutation(
        "forgets a broker, but not what it leads",
        MetadataInvariant.FENCED_LEADS_NOTHING,
        lambda: [(unregister_broker, "changes_without_crashed", finds_nothing)],
    ),
    cluster_mutation(
        "leaves configs that are not named",
        MetadataInvariant.ACKNOWLEDGED_STAYS,
        lambda: [(alter_configs, "_complete_changes", lambda _, __: {})],
    ),
    cluster_mutation(
        "says of levels that they are changed",
        MetadataInvariant.ACKNOWLEDGED_STAYS,
        _records_nothing(_FEATURES),
    ),
    cluster_mutation(
        "says of ACLs that they are removed", MetadataInvariant.LINEARIZABLE, _records_nothing(_DELETE_ACLS)
    ),
    cluster_mutation(
        "writes half of a quota that it refuses",
        MetadataInvariant.REFUSED_NEVER_APPEARS,
        _runs(_QUOTAS, _half_a_quota),
    ),
    cluster_mutation(
        "says of credentials that they are changed",
        MetadataInvariant.LINEARIZABLE,
        _records_nothing(_CREDENTIALS),
    ),
    cluster_mutation(
        "says of tokens that they are expired",
        MetadataInvariant.LINEARIZABLE,
        _records_nothing(_EXPIRE_TOKEN),
    ),
    cluster_mutation(
        "forgets which producer ids it gave out",
        MetadataInvariant.PRODUCER_IDS_ONCE,
        _records_nothing(_PRODUCER_IDS),
    ),
    cluster_mutation(
        "keeps expired tokens",
        MetadataInvariant.EXPIRED_AT_LAST,
        lambda: [(periodic_tasks, "expired_token_records", finds_nothing)],
    ),
)
