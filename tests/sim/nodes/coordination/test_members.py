"""What members of groups do after they are told what no client expects.

That is no violation if the group's partition has lost what was acknowledged. Then the group has to come to rest anyway.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ConsumerGroupHeartbeatResponse, ShareGroupHeartbeatResponse
from tests.sim.nodes.coordination.consumer_members import ConsumerMember
from tests.sim.nodes.coordination.share_members import ShareMember
from tests.sim.nodes.timeline import run


class Client:
    """Its coordinator has lost the group, and tells that to whoever is a member."""

    name = "c"

    def __init__(self, response: Callable[..., Any]) -> None:
        self.view = SimpleNamespace(topic_ids={"t": bytes(16)})
        self.epochs: list[int] = []
        self._response = response

    async def coordinator(self, *_: object) -> None:
        """There is none but this one."""

    async def ask_coordinator(self, key_type: int, group_id: str, request: Any) -> Any:
        self.epochs.append(request.member_epoch)
        if request.member_epoch:
            return self._response(error_code=ErrorCode.GROUP_ID_NOT_FOUND)
        return self._response(member_epoch=7)

    def forget(self, key_type: int, group_id: str) -> None:
        """Nobody else may coordinate."""
        raise AssertionError


class Group:
    """Its partition has lost records, which is excused."""

    group_id = "g"

    def __init__(self) -> None:
        self.told: list[str] = []

    def unexpected(self, who: str, what: str) -> None:
        self.told.append(what)

    def _nothing(self, *_: object) -> None:
        return None

    term = subscribes = subscribed = heard = gone = _nothing


def consumer(client: Any, group: Any) -> Any:
    work: Any = SimpleNamespace(forget=lambda: None)
    return ConsumerMember(client, group, work, random.Random(1), ["t"], instance_id=None)


def share_member(client: Any, group: Any) -> Any:
    ledger: Any = None
    return ShareMember(client, group, ledger, random.Random(1), ["t"])


@pytest.mark.parametrize(
    ("member_of", "response"),
    [(consumer, ConsumerGroupHeartbeatResponse), (share_member, ShareGroupHeartbeatResponse)],
)
def test_a_member_of_a_group_that_is_lost_joins_again(
    member_of: Callable[[Any, Any], Any], response: Callable[..., Any]
) -> None:
    client, group = Client(response), Group()

    async def scene() -> None:
        member = member_of(client, group)
        for _ in range(3):
            await member._heartbeat()
            await trio.sleep(0.1)
        assert member.epoch == 7

    run(1, scene)
    assert client.epochs == [0, 7, 0]
    (told,) = group.told
    assert "GROUP_ID_NOT_FOUND" in told
