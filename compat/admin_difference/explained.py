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


def _elected(response: Mapping[str, Any]) -> dict[str, dict[int, str]]:
    return {
        topic["topic"]: {one["partitionId"]: one["errorCode"] for one in topic["partitionResult"]}
        for topic in response["replicaElectionResults"]
        if topic["partitionResult"]
    }


def _same_elections(ours: Any, stock: Any) -> bool:
    return bool(ours["errorCode"] == stock["errorCode"] and _elected(ours) == _elected(stock))


EXPLAINED: tuple[Explanation, ...] = (
    Explanation(
        reason="where no partition is named, stock also lists topics none of whose partitions needs an election",
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
