"""A quorum of two releases of Apache Kafka and ours: the older release decides how far metadata.version goes.

Whoever leads refuses a level that the voter of the older release does not have. Once that voter is of the newest
release too, either implementation raises the level, and lowers it if nothing of the metadata can be lost by that. At
the newest level either unregisters a controller that is away.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from compat.kafka.stock import StockNode
from compat.kafka.tools import ToolResult, run_tool
from compat.node import Node
from compat.ours import OurNode
from compat.process import wait_until
from compat.quorum import NodeClass, Quorum, connect
from compat.quota_load import QuotaLoad
from compat.runs.disks import check_no_faults, taken_over
from compat.runs.mixed import SMALL_LOG, WAIT_S, MixedQuorum, MixedRunError, MixedRunResult
from compat.runs.telling import Tell
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.messages import UnregisterControllerRequest, UnregisterControllerResponse

OLDER = "4.3.1"
"""The release that is in the quorum at first."""
OLDER_LEVEL = "4.3-IV0"
"""Its newest metadata.version."""
NEWEST_LEVEL = 33
"""4.4-IV2, by its number: tools of the older release do not know the name."""
NEXT_LEVEL = 31
"""4.4-IV0, which has no other metadata than the level before it."""
NEWEST, OLD, OURS = 1, 2, 3
"""Node ids: of the newest release, of the older one, and ours."""


@dataclass(slots=True, kw_only=True)
class ReleasesResult:
    """What happened in a run."""

    refused: dict[int, str] = field(default_factory=dict)
    """What the tool says of the newest level, by the id of the node that led."""
    unregistered: list[int] = field(default_factory=list)
    """Controllers that were unregistered while they were away, in the order of who led: stock, ours."""
    quorum: MixedRunResult
    """What became of the load and the replicas."""


def run(folder: Path, *, tell: Tell) -> ReleasesResult:
    """Everything in this module once.

    Raises MixedRunError, NodeFaultError, ToolFailedError, WaitedTooLongError, ReplicasDifferError or LostWriteError.
    """
    others: dict[int, NodeClass] = {NEWEST: StockNode, OLD: partial(StockNode, release=OLDER)}
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(OurNode, folder, 3, SMALL_LOG, others=others))
        mixed = MixedQuorum(quorum, tell)
        mixed.start("--release-version", OLDER_LEVEL)
        load = stack.enter_context(QuotaLoad(mixed.servers))
        result = ReleasesResult(quorum=mixed.outcome)
        for node_id in (NEWEST, OLD, OURS):
            mixed.have_node_lead(load, quorum.nodes[node_id])
            result.refused[node_id] = _refused(quorum.nodes[node_id], "upgrade", NEWEST_LEVEL)
            tell(f"node {node_id} led, and refused: {result.refused[node_id]}")
        _replace(mixed, load)
        tell(f"node {OLD} is of the newest release now")
        for node_id in (NEWEST, OURS):
            leader = quorum.nodes[node_id]
            mixed.have_node_lead(load, leader)
            _alter(leader, "upgrade", NEXT_LEVEL).output()
            _alter(leader, "downgrade", NEXT_LEVEL - 1).output()
            tell(
                f"node {node_id} ({leader.kind}) led: metadata.version was {NEXT_LEVEL} and is {NEXT_LEVEL - 1}"
            )
        _alter(quorum.nodes[OURS], "upgrade", NEWEST_LEVEL).output()
        tell(f"metadata.version is {NEWEST_LEVEL}")
        for node_id in (NEWEST, OURS):
            leader = quorum.nodes[node_id]
            mixed.have_node_lead(load, leader)
            for lower in (NEXT_LEVEL - 1, NEWEST_LEVEL - 1):
                text = _refused(leader, "downgrade", lower)
                _refused(leader, "downgrade", lower, "--unsafe")
            tell(f"node {node_id} ({leader.kind}) led, and refused: {text}")
            _unregister(mixed, load, leader, quorum.nodes[OLD])
            result.unregistered.append(OLD)
            tell(f"node {node_id} ({leader.kind}) led: controller {OLD} was unregistered, and is back")
        result.quorum = mixed.finish(load)
        check_no_faults(folder)
        return result


def _alter(leader: Node, direction: str, level: int, *options: str) -> ToolResult:
    at = ("--bootstrap-controller", leader.bootstrap_controller)
    return run_tool("kafka-features", *at, direction, "--feature", f"metadata.version={level}", *options)


def _refused(leader: Node, direction: str, level: int, *options: str) -> str:
    """What is said to a level that cannot be; raises MixedRunError if it is taken."""
    result = _alter(leader, direction, level, *options)
    if result.exit_code == 0:
        raise MixedRunError(f"node {leader.node_id} set metadata.version to {level}: {result}")
    return (result.stdout + result.stderr).strip().splitlines()[0]


def _replace(mixed: MixedQuorum, load: QuotaLoad) -> None:
    """The node of the older release goes on as one of the newest."""
    old = mixed.quorum.nodes[OLD]
    old.stop()
    successor = taken_over(old, StockNode)
    successor.start()
    mixed.quorum.nodes[OLD] = successor
    mixed.wait_until_followed(successor)
    load.wait_for_more(20)


def _unregister(mixed: MixedQuorum, load: QuotaLoad, leader: Node, away: Node) -> None:
    """A controller is unregistered while it is away, but not twice; then it is back. Raises MixedRunError."""
    away.stop()
    codes = []
    for _ in range(2):
        with connect(leader.bootstrap_controller) as client:
            response = client.send(UnregisterControllerRequest(controller_id=away.node_id))
        assert isinstance(response, UnregisterControllerResponse)
        codes.append(response.error_code)
    if codes != [ErrorCode.NONE, ErrorCode.CONTROLLER_ID_NOT_REGISTERED]:
        raise MixedRunError(f"unregistering node {away.node_id}: {[describe(code).name for code in codes]}")
    away.start()
    mixed.wait_until_followed(away)
    wait_until(lambda: mixed.leader() is leader, WAIT_S, f"node {leader.node_id} to lead on")
    load.wait_for_more(20)
