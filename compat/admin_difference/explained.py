"""Where the two controllers answer differently and are meant to, with the reason. Their states agree even there.

Requests after which the states would part are not generated; `broker_requests.py` and `admin_requests.py` say which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kafkaproto.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One difference that is known."""

    reason: str
    requests: frozenset[str]
    """Names of the requests it is about."""
    is_it: Callable[[Any, Any], bool]
    """Whether this pair of answers, ours and the stock controller's, differs in this way."""


def _entries(answer: Mapping[str, Any]) -> dict[tuple[int, str], str]:
    return {(one["resourceType"], one["resourceName"]): one["errorCode"] for one in answer["responses"]}


_FAULTS = {"UNKNOWN_TOPIC_OR_PARTITION", "BROKER_ID_NOT_REGISTERED", "INVALID_REQUEST", "INVALID_CONFIG"}


def _another_fault(ours: Any, stock: Any) -> bool:
    theirs = _entries(stock)
    return all(
        code == theirs.get(resource) or {code, theirs.get(resource)} <= _FAULTS
        for resource, code in _entries(ours).items()
    )


def _elected(answer: Mapping[str, Any]) -> dict[str, dict[int, str]]:
    return {
        topic["topic"]: {one["partitionId"]: one["errorCode"] for one in topic["partitionResult"]}
        for topic in answer["replicaElectionResults"]
        if topic["partitionResult"]
    }


def _same_elections(ours: Any, stock: Any) -> bool:
    return bool(ours["errorCode"] == stock["errorCode"] and _elected(ours) == _elected(stock))


EXPLAINED: tuple[Explanation, ...] = (
    Explanation(
        reason="of several faults of a resource (missing, unknown key, bad value) each names the one it meets first",
        requests=frozenset({"AlterConfigsRequest", "IncrementalAlterConfigsRequest"}),
        is_it=_another_fault,
    ),
    Explanation(
        reason="stock answers a partition as often as it is named, and lists topics without any partition",
        requests=frozenset({"ElectLeadersRequest"}),
        is_it=_same_elections,
    ),
)


def explanation(request: Message, ours: object, stock: object) -> str | None:
    """The reason for which these answers may differ, None if there is none."""
    if not isinstance(ours, dict) or not isinstance(stock, dict):
        return None
    for known in EXPLAINED:
        if request.NAME in known.requests and known.is_it(ours, stock):
            return known.reason
    return None
