"""What a heartbeat of a streams group must say: each of its rules broken once."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import StreamsGroupTopologyValue
from kafkaproto_server.core.coordinators.groups.streams.validation import check_values
from kafkaproto_server.core.coordinators.values import CoordinatorError
from kafkaproto_server.requests.streams_group_requests import StreamsHeartbeatValues
from tests.core.coordinators.support.streams import GROUP, PLAIN, joining, owned, subtopology, topology

Subtopology = StreamsGroupTopologyValue.Subtopology
TopicInfo = StreamsGroupTopologyValue.TopicInfo
CopartitionGroup = StreamsGroupTopologyValue.CopartitionGroup


def _refusal(member_epoch: int, fields: dict[str, Any]) -> tuple[ErrorCode, str]:
    try:
        check_values(
            StreamsHeartbeatValues(
                **{"group_id": GROUP, "member_id": "m", "member_epoch": member_epoch, **fields}
            )
        )
    except CoordinatorError as error:
        return error.code, error.message or ""
    return ErrorCode.NONE, ""


def _with(**fields: Any) -> StreamsGroupTopologyValue:
    """A topology whose only subtopology has these fields, beside its source topic."""
    return topology(Subtopology(**{"subtopology_id": "0", "source_topics": ["a"], **fields}))


TWICE = [("zone", "a"), ("zone", "b")]

REFUSED: list[tuple[int, dict[str, Any], str]] = [
    (0, joining("m") | {"member_id": " "}, "member id is empty"),
    (0, joining("m") | {"group_id": ""}, "group id is empty"),
    (1, {"instance_id": ""}, "instance id is empty"),
    (1, {"rack_id": "\t"}, "rack id is empty"),
    (0, joining("m") | {"rebalance_timeout_ms": -1}, "rebalance timeout"),
    *((0, joining("m") | {f"{role}_tasks": None}, "has no task") for role in ("active", "standby", "warmup")),
    *(
        (0, joining("m") | owned(**{role: {"0": [0]}}), "has no task")
        for role in ("active", "standby", "warmup")
    ),
    (0, joining("m") | {"topology": None}, "says its topology"),
    (-2, {}, "with an instance id"),
    (-3, {"instance_id": "i"}, "no member epoch -3"),
    *(
        (1, owned() | {f"{role}_tasks": None}, "those of all roles")
        for role in ("active", "standby", "warmup")
    ),
    (1, {"topology": PLAIN}, "for members that join"),
    (-1, {"topology": PLAIN}, "for members that join"),
    (1, {"client_tags": TWICE}, "tag is there twice"),
    (0, joining("m", _with(source_topic_regex=["a.*"])), "regular expressions"),
]
TOPOLOGIES: list[tuple[StreamsGroupTopologyValue, str]] = [
    (topology(subtopology("0", ["a"]), epoch=-1), "epoch -1"),
    (topology(subtopology("0", ["a"]), subtopology("0", ["b"])), "twice"),
    (_with(state_changelog_topics=[TopicInfo(name="c", partitions=1)]), "cannot be 1"),
    (_with(repartition_source_topics=[TopicInfo(name="r", partitions=-1)]), "cannot have -1"),
    *((_with(copartition_groups=[CopartitionGroup(source_topics=[at])]), "of the 1 that") for at in (-1, 1)),
    (_with(copartition_groups=[CopartitionGroup(repartition_source_topics=[0])]), "of the 0 that"),
]
ALLOWED: list[tuple[int, dict[str, Any]]] = [
    (0, joining("m")),
    (0, joining("m") | {"rebalance_timeout_ms": 0, "instance_id": "i", "rack_id": "r"}),
    (0, joining("m", _with(repartition_source_topics=[TopicInfo(name="r", partitions=0)]))),
    (0, joining("m", _with(copartition_groups=[CopartitionGroup(source_topics=[0])]))),
    (0, joining("m", topology(epoch=0))),
    (1, {}),
    (1, owned(active={"0": [0]}) | {"client_tags": TWICE[:1]}),
    (-1, {}),
    (-2, {"instance_id": "i"}),
]


@pytest.mark.parametrize(("epoch", "fields", "told"), REFUSED, ids=[told for _, _, told in REFUSED])
def test_a_heartbeat_that_makes_no_sense_is_refused(epoch: int, fields: dict[str, Any], told: str) -> None:
    code, message = _refusal(epoch, fields)
    assert code is ErrorCode.INVALID_REQUEST
    assert told in message


def test_a_topology_that_cannot_be_is_refused() -> None:
    for value, told in TOPOLOGIES:
        code, message = _refusal(0, joining("m", value))
        assert code is ErrorCode.STREAMS_INVALID_TOPOLOGY, told
        assert told in message


def test_other_heartbeats_are_taken() -> None:
    for epoch, fields in ALLOWED:
        assert _refusal(epoch, fields) == (ErrorCode.NONE, "")
