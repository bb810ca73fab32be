"""Random histories of a share group against a slow model, over changes of topics, lost calls and new coordinators.

The model knows who is a member and what each of them subscribes to, and nothing of records or epochs. When everything
has settled, all partitions of subscribed topics have a state, each of them has a member, and nobody has what it does
not subscribe to.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kafkaproto.error_codes import ErrorCode
from tests.core.coordinators.support.consumers import compacted, topic_id
from tests.core.coordinators.support.derived import check_share
from tests.core.coordinators.support.share_groups import GROUP, SESSION_MS, ShareCoordinator, flat, persistent

MEMBERS = st.sampled_from("klmn")
TOPICS = ("a", "b", "c")
NAMES = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=3, unique=True)


class Histories(RuleBasedStateMachine):
    """The coordinator and the model."""

    def __init__(self) -> None:
        super().__init__()
        self.coordinator = ShareCoordinator({"a": 2, "b": 3})
        self.subscribed: dict[str, frozenset[str]] = {}
        self.has_failed = False
        """If some states could not be initialized, the group forgets the others as well, as in Apache Kafka."""

    @rule(member_id=MEMBERS, names=NAMES)
    def join(self, member_id: str, names: list[str]) -> None:
        assert self.coordinator.pulse(member_id, 0, *names).code is ErrorCode.NONE
        self.subscribed[member_id] = frozenset(names)

    @rule(member_id=MEMBERS, lag=st.integers(-2, 1))
    def beat(self, member_id: str, lag: int) -> None:
        group = self.coordinator.share.groups.groups.get(GROUP)
        member = None if group is None else group.members.get(member_id)
        epoch = max(1, (1 if member is None else member.epoch) + lag)
        outcome = self.coordinator.pulse(member_id, epoch)
        if group is None:
            assert outcome.code is ErrorCode.GROUP_ID_NOT_FOUND
        elif member is None:
            assert outcome.code is ErrorCode.UNKNOWN_MEMBER_ID
        else:
            is_known = epoch in (member.epoch, member.previous_epoch) and epoch <= member.epoch
            assert outcome.code is (ErrorCode.NONE if is_known else ErrorCode.FENCED_MEMBER_EPOCH)

    @precondition(lambda self: self.subscribed)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        member_id = data.draw(st.sampled_from(sorted(self.subscribed)))
        assert self.coordinator.pulse(member_id, -1).code is ErrorCode.NONE
        del self.subscribed[member_id]

    @rule(name=st.sampled_from(TOPICS), more=st.integers(0, 2))
    def change_topic(self, name: str, more: int) -> None:
        count = self.coordinator.topics.counts.get(name, 0)
        self.coordinator.change_topic(name, (count + more if more else None) if count else 1)
        if count and not more:
            # The share coordinators have noticed themselves.
            states = self.coordinator.persister.states
            self.coordinator.persister.states = {
                key: each for key, each in states.items() if key[1] != topic_id(name)
            }

    @rule()
    def everybody_is_silent(self) -> None:
        self.coordinator.advance(SESSION_MS + 1_000)
        self.subscribed.clear()

    @rule(name=st.sampled_from(TOPICS), index=st.integers(0, 2))
    def alter(self, name: str, index: int) -> None:
        code = self.coordinator.alter({name: {index: 7}}).get("")
        assert (code is ErrorCode.NON_EMPTY_GROUP) == bool(self.subscribed)

    @rule(names=NAMES)
    def forget(self, names: list[str]) -> None:
        self.coordinator.forget(*names)

    @rule()
    def delete(self) -> None:
        was_there = GROUP in self.coordinator.share
        code = self.coordinator.delete()
        if self.subscribed:
            assert code is ErrorCode.NON_EMPTY_GROUP
        else:
            assert code is (ErrorCode.NONE if was_there else ErrorCode.GROUP_ID_NOT_FOUND)
            assert self.has_failed or not self.coordinator.persister.states, "no state is left"

    @rule(is_refused=st.booleans())
    def persister_is_out_of_order(self, is_refused: bool) -> None:
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE
        self.coordinator.persister.codes = {("initialize", 0): code} if is_refused else {}
        self.has_failed = self.has_failed or is_refused

    @rule()
    def move(self) -> None:
        self.coordinator.move()
        self.coordinator.advance(10)

    @rule()
    def settle(self) -> None:
        self.coordinator.persister.codes = {}
        if not self.subscribed:
            return
        # What another broker has begun to initialize is begun again after a while.
        for _ in range(5):
            self.coordinator.advance(15_000)
            targets = self.coordinator.settle()
        counts = self.coordinator.topics.counts
        wanted = {
            (topic_id(name), index)
            for names in self.subscribed.values()
            for name in names
            if name in counts
            for index in range(counts[name])
        }
        assert set().union(*map(flat, targets.values())) == wanted
        assert wanted <= {(topic, index) for _, topic, index in self.coordinator.persister.states}
        for member_id, target in targets.items():
            assert {self.name_of(topic) for topic in target} <= self.subscribed[member_id]

    def name_of(self, topic: bytes) -> str:
        view = self.coordinator.topics.by_id(topic)
        assert view is not None
        return view.name

    @invariant()
    def those_are_members_who_should_be(self) -> None:
        group = self.coordinator.share.groups.groups.get(GROUP)
        members = {} if group is None else group.members
        assert {
            each: frozenset(member.subscribed_topic_names) for each, member in members.items()
        } == self.subscribed

    @invariant()
    def what_follows_from_the_members_is_so(self) -> None:
        group = self.coordinator.share.groups.groups.get(GROUP)
        if group is not None:
            check_share(group, self.coordinator.world)

    @invariant()
    def whoever_reads_the_records_knows_the_same(self) -> None:
        before = persistent(self.coordinator.share.groups.groups.get(GROUP))
        other = ShareCoordinator()
        for key, value in compacted(self.coordinator.log.records()):
            other.shard.replay(key, value, 0, -1)
        assert persistent(other.share.groups.groups.get(GROUP)) == before


Histories.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestHistories = Histories.TestCase
