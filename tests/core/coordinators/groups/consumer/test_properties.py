"""Whatever members, topics and brokers do: no partition has two owners, and everything is assigned in the end.

Clients act as consumers do (`support.consumers.Client`). They join, leave, crash, are slow to revoke, lose responses
and subscribe to other topics; topics change; the coordinator moves, also to a broker that reads a compacted log.
"""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from kafkaproto_server.core.coordinators.groups.consumer import heartbeat
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup, ConsumerState
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMember
from tests.core.coordinators.support.consumers import (
    GROUP,
    INTERVAL_MS,
    Client,
    Coordinator,
    compacted,
    persistent,
    topic_id,
)
from tests.core.coordinators.support.derived import check_consumer

NAMES = ("a1", "a2", "b")
MAX_CLIENTS = 5
ROUNDS_TO_REST = 20
SUBSCRIPTIONS = st.tuples(
    st.sets(st.sampled_from(NAMES)).map(lambda names: tuple(sorted(names))),
    st.sampled_from([None, None, "a.*", "b"]),
)
WHO = st.integers(0, MAX_CLIENTS - 1)


class Consumers(RuleBasedStateMachine):
    """A group, its clients, and what must be so at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.coordinator = Coordinator({"a1": 3, "b": 2})
        self.clients: list[Client] = []
        self.made = 0
        self.epochs: dict[str, int] = {}
        self.group_epochs = (0, 0)

    # -- what happens

    @precondition(lambda self: len(self.clients) < MAX_CLIENTS)
    @rule(subscription=SUBSCRIPTIONS, is_static=st.booleans())
    def join(self, subscription: tuple[tuple[str, ...], str | None], is_static: bool) -> None:
        self.made += 1
        client = Client(self.coordinator, f"m{self.made}", f"i{self.made}" if is_static else None)
        client.names, client.regex = subscription
        self.clients.append(client)
        client.beat()

    @precondition(lambda self: self.clients)
    @rule(who=WHO, is_lost=st.booleans(), is_slow=st.booleans())
    def beat(self, who: int, is_lost: bool, is_slow: bool) -> None:
        self.client(who).beat(is_lost=is_lost, is_slow=is_slow)

    @precondition(lambda self: self.clients)
    @rule(who=WHO)
    def reconcile(self, who: int) -> None:
        self.client(who).reconcile()

    @precondition(lambda self: self.clients)
    @rule(who=WHO, subscription=SUBSCRIPTIONS)
    def subscribe(self, who: int, subscription: tuple[tuple[str, ...], str | None]) -> None:
        client = self.client(who)
        client.names, client.regex = subscription

    @precondition(lambda self: self.clients)
    @rule(who=WHO)
    def leave(self, who: int) -> None:
        client = self.client(who)
        client.owned = set()
        self.clients.remove(client)
        if client.member_id in self.members():
            self.coordinator.beat(client.member_id, -1, instance_id=client.instance_id)

    @precondition(lambda self: any(client.instance_id for client in self.clients))
    @rule(who=WHO)
    def restart_static(self, who: int) -> None:
        static = [client for client in self.clients if client.instance_id]
        client = static[who % len(static)]
        client.begin_anew()
        if client.member_id in self.members():
            self.coordinator.beat(client.member_id, -2, instance_id=client.instance_id)
        self.made += 1
        client.member_id = f"m{self.made}"
        client.beat()

    @precondition(lambda self: self.clients)
    @rule(who=WHO)
    def crash(self, who: int) -> None:
        self.clients.remove(self.client(who))

    @rule(name=st.sampled_from(NAMES), count=st.none() | st.integers(1, 4))
    def change_topic(self, name: str, count: int | None) -> None:
        have = self.coordinator.topics.counts.get(name, 0)
        if count is None or count > have:
            self.coordinator.change_topic(name, count)

    @rule(time_ms=st.sampled_from([100, INTERVAL_MS, 20_000, 70_000]))
    def wait(self, time_ms: int) -> None:
        self.coordinator.world.advance(time_ms)
        # Clients know these timeouts as well, and stop in time.
        for client in self.clients:
            if client.epoch and client.member_id not in self.members():
                client.begin_anew()

    @rule(is_compacted=st.booleans())
    def move(self, is_compacted: bool) -> None:
        before = persistent(self.group)
        records = self.coordinator.world.log.records()
        self.coordinator.move(compacted(records) if is_compacted else records)
        assert persistent(self.group) == before

    @rule()
    def rest(self) -> None:
        """All clients go on undisturbed, and those that crashed are forgotten."""
        for _ in range(ROUNDS_TO_REST):
            self.wait(INTERVAL_MS)
            for client in self.clients:
                client.beat()
                self.nobody_shares_a_partition()
        if not self.clients:
            return
        assert self.group is not None
        assert self.group.members.keys() == {client.member_id for client in self.clients}
        assert self.group.state is ConsumerState.STABLE
        owned = [partition for client in self.clients for partition in client.owned]
        assert sorted(owned) == sorted(self.subscribed_partitions())
        for client in self.clients:
            target = self.group.targets.get(client.member_id, {})
            assert client.owned == {(topic, index) for topic in target for index in target[topic]}

    # -- what must be so

    @invariant()
    def nobody_shares_a_partition(self) -> None:
        owned = [partition for client in self.clients for partition in client.owned]
        assert len(owned) == len(set(owned))

    @invariant()
    def owners_are_those_who_hold(self) -> None:
        for member_id, member in self.members().items():
            for partition in member.held():
                assert self.group is not None
                assert self.group.owners[partition] == member_id

    @invariant()
    def what_follows_from_the_members_is_so(self) -> None:
        if self.group is not None:
            check_consumer(self.group, self.coordinator.world)

    @invariant()
    def epochs_never_go_back(self) -> None:
        if self.group is None:
            return
        now = self.group.epoch, self.group.assignment_epoch
        assert now[0] >= self.group_epochs[0]
        assert now[1] >= self.group_epochs[1]
        assert now[1] <= now[0]
        self.group_epochs = now
        for member_id, member in self.members().items():
            if member.epoch > 0:
                assert self.epochs.get(member_id, 0) <= member.epoch <= self.group.assignment_epoch
                self.epochs[member_id] = member.epoch

    # -- helpers

    @property
    def group(self) -> ConsumerGroup | None:
        return self.coordinator.groups.groups.get(GROUP)

    def members(self) -> dict[str, ConsumerMember]:
        return dict(self.group.members) if self.group is not None else {}

    def client(self, who: int) -> Client:
        return self.clients[who % len(self.clients)]

    def subscribed_partitions(self) -> set[tuple[bytes, int]]:
        """Those of the topics that anybody subscribes to."""
        assert self.group is not None
        counts = self.coordinator.topics.counts
        names: set[str] = set()
        for client in self.clients:
            names.update(client.names)
            if client.regex:
                names.update(name for name in counts if client.regex in (name, f"{name[0]}.*"))
        return {(topic_id(name), index) for name in names if name in counts for index in range(counts[name])}


class ConsumersOfALargeGroup(Consumers):
    """The same, if targets are computed beside the loop."""

    def __init__(self) -> None:
        super().__init__()
        self._patch = pytest.MonkeyPatch()
        self._patch.setattr(heartbeat, "SIZE_AT_ONCE", 0)

    def teardown(self) -> None:
        self._patch.undo()


Consumers.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
ConsumersOfALargeGroup.TestCase.settings = settings(max_examples=60, stateful_step_count=40)

TestConsumers = Consumers.TestCase
TestConsumersOfALargeGroup = ConsumersOfALargeGroup.TestCase
