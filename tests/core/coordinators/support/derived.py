"""What groups remember besides what their records say: indexes, counts and timers. They follow from the members.

Each function fails if something is not what a walk over all members finds. What is left behind counts as well: a key
that nobody needs any more is memory that a group never gives back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kafkaproto_server.core.coordinators.groups.classic.group import ClassicGroup
from kafkaproto_server.core.coordinators.groups.classic.pending_members import id_key
from kafkaproto_server.core.coordinators.groups.consumer.group import ConsumerGroup
from kafkaproto_server.core.coordinators.groups.consumer.member import ConsumerMemberState
from kafkaproto_server.core.coordinators.groups.revocations import RevocationWatch
from kafkaproto_server.core.coordinators.groups.sessions import RETRY_MS, MemberSessionWatch
from kafkaproto_server.core.coordinators.groups.share.group import ShareGroup
from kafkaproto_server.core.coordinators.groups.streams.group import StreamsGroup, each_task
from kafkaproto_server.core.coordinators.groups.streams.member import StreamsMemberState
from tests.core.coordinators.support.world import World


def check_classic(group: ClassicGroup, world: World) -> None:
    """Of a classic group."""
    members = group.members.values()
    assert all(member_id == each.member_id for member_id, each in group.members.items())
    assert group.static_ids == {
        each.group_instance_id: each.member_id for each in members if each.group_instance_id is not None
    }
    supported = Counter(name for each in members for name in dict(each.protocols))
    assert dict(group.supported) == dict(supported)
    assert group.unsynced <= group.members.keys()
    assert not group.pending_ids & {id_key(each) for each in group.members}
    assert group.leader_id in group.members if members else group.leader_id is None
    due = world.due()
    for each in members:
        assert each.watched_ms is not None
        assert each.watched_ms in due, "nobody looks whether the session has ended"
        assert each.is_waiting or each.watched_ms <= each.session_ends_ms, "the session ends too late"


def check_consumer(group: ConsumerGroup, world: World) -> None:
    """Of a consumer group."""
    members = group.members.values()
    stable = Counter(each.epoch for each in members if each.state is ConsumerMemberState.STABLE)
    assert dict(group.stable_counts) == dict(stable)
    assert dict(group.name_counts) == dict(Counter(each.subscribed_topic_names for each in members))
    regexes = Counter(each.subscribed_topic_regex for each in members if each.subscribed_topic_regex)
    assert dict(group.regex_counts) == dict(regexes)
    assert group.regexes.keys() <= regexes.keys()
    assert group.static_ids == {
        each.instance_id: each.member_id for each in members if each.instance_id is not None
    }
    assert group.owners == {partition: each.member_id for each in members for partition in each.held()}
    assert group.targets.keys() <= group.members.keys()
    _check_watches(group.members.keys(), group.watches, world)
    # A static member that is away has no time for anything.
    here = {each.member_id: each.must_revoke for each in members if each.epoch >= 0}
    _check_revocations(here, group.watches, world)


def check_share(group: ShareGroup, world: World) -> None:
    """Of a share group."""
    members = group.members.values()
    assert dict(group.name_counts) == dict(Counter(each.subscribed_topic_names for each in members))
    assert group.targets.keys() <= group.members.keys()
    assert group.is_assignment_pending() is group._has_unassigned()
    _check_watches(group.members.keys(), group.watches, world)


def check_streams(group: StreamsGroup, world: World) -> None:
    """Of a streams group."""
    members = group.members.values()
    stable = Counter(each.epoch for each in members if each.state is StreamsMemberState.STABLE)
    assert dict(group.stable_counts) == dict(stable)
    assert group.static_ids == {
        each.instance_id: each.member_id for each in members if each.instance_id is not None
    }
    held = [(each.process_id, tasks) for each in members for tasks in (each.assigned, each.revoking)]
    assert group.active_owners == {
        (subtopology_id, index): process_id
        for process_id, tasks in held
        for subtopology_id, epochs in tasks.active.items()
        for index in epochs
    }
    standby = Counter((task, process_id) for process_id, tasks in held for task in each_task(tasks.standby))
    assert dict(group.standby_owners) == dict(standby)
    warmup = Counter((task, process_id) for process_id, tasks in held for task in each_task(tasks.warmup))
    assert dict(group.warmup_owners) == dict(warmup)
    assert group.targets.keys() <= group.members.keys()
    assert group.task_offsets.keys() <= group.members.keys()
    assert group.endpoint_parts.keys() <= group.members.keys()
    _check_watches(group.members.keys(), group.watches, world)
    # A static member that is away has no time for anything.
    here = {each.member_id: each.must_revoke for each in members if each.epoch >= 0}
    _check_revocations(here, group.watches, world)


def _check_watches(
    member_ids: Iterable[str], watches: Mapping[str, MemberSessionWatch], world: World
) -> None:
    assert watches.keys() == set(member_ids)
    due = world.due()
    for each in watches.values():
        assert each.session_watched_ms is not None
        assert each.session_watched_ms in due, "nobody looks whether the session has ended"
        # If the log takes nothing, it is tried again.
        assert each.session_watched_ms <= max(each.session_ends_ms, world.now_ms() + RETRY_MS)


def _check_revocations(
    must_revoke: Mapping[str, bool], watches: Mapping[str, RevocationWatch], world: World
) -> None:
    due = world.due()
    for member_id, must in must_revoke.items():
        ends_ms = watches[member_id].revocation_ends_ms
        assert (ends_ms is not None) is must, "only who has to revoke something has a time for it"
        assert ends_ms is None or ends_ms <= world.now_ms() or ends_ms in due
