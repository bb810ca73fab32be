"""Random histories: what a coordinator says follows from the records that it wrote, also if the oldest are deleted."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.error_codes import ErrorCode
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.requests.share_state import NO_START_OFFSET
from tests.core.coordinators.share_state.test_batches import BATCHES, model
from tests.core.coordinators.support.share_world import KEY, ShareWorld

KEYS = [KEY._replace(partition=each) for each in range(3)]
EPOCHS = st.integers(0, 3)
OFFSETS = st.integers(-1, 30)
INTERVAL_MS = 1_000
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("initialize"), st.fixed_dictionaries({"epoch": EPOCHS, "start": OFFSETS})),
        st.tuples(st.just("read"), st.fixed_dictionaries({"leader_epoch": EPOCHS})),
        st.tuples(
            st.just("write"),
            st.fixed_dictionaries(
                {
                    "batches": st.lists(BATCHES, max_size=3),
                    "epoch": EPOCHS,
                    "leader_epoch": EPOCHS,
                    "start": OFFSETS,
                    "count": st.integers(-1, 5),
                }
            ),
        ),
        st.tuples(st.just("delete"), st.just({})),
        st.tuples(st.just("wait"), st.just({})),
        st.tuples(st.just("fail over"), st.just({})),
    ),
    max_size=40,
)


class Model:
    """A share partition, in a slow and obvious way."""

    def __init__(self) -> None:
        self.state: Any = None
        self.leader_epoch = 0

    def expected(self, name: str, epoch: int = 0, leader_epoch: int = 0, **fields: Any) -> ErrorCode:
        """The code for a request, which is carried out."""
        if name == "delete":
            self.state, self.leader_epoch = None, 0
        elif name == "initialize":
            if self.state is not None and epoch < self.state["epoch"]:
                return ErrorCode.FENCED_STATE_EPOCH
            start = fields["start"]
            count = -1 if start == NO_START_OFFSET else 0
            self.state = {"epoch": epoch, "start": start, "count": count, "batches": ()}
        elif self.state is None:
            return ErrorCode.INVALID_REQUEST
        elif leader_epoch < self.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        elif name == "read":
            self.leader_epoch = leader_epoch
        elif epoch < self.state["epoch"]:
            return ErrorCode.FENCED_STATE_EPOCH
        else:
            self.write(**fields)
        return ErrorCode.NONE

    def write(self, batches: list[Any], start: int, count: int) -> None:
        """Put batches over those that are there."""
        if start == self.state["start"]:
            self.state["count"] = max(count, self.state["count"])
        elif start > self.state["start"]:
            self.state |= {"start": start, "count": count}
        self.state["batches"] = model([*self.state["batches"], *batches], self.state["start"])


@given(st.lists(st.tuples(st.integers(0, 2), STEPS), max_size=3), st.integers(0, 4))
def test_states_follow_from_the_records(histories: list[tuple[int, Any]], updates: int) -> None:
    world = ShareWorld(
        updates_per_snapshot=updates, prune_interval_ms=INTERVAL_MS, cold_snapshot_interval_ms=INTERVAL_MS
    )
    models = [Model() for _ in KEYS]
    for index, steps in histories:
        for name, fields in steps:
            if name == "wait":
                world.world.advance(INTERVAL_MS)
                while world.pruned:
                    offset, done = world.pruned.pop()
                    world.log.start_offset = offset
                    done(True)
            elif name == "fail over":
                world.coordinator.unload()
                world.start()
                for key, each in zip(KEYS, models, strict=True):
                    _forget(world, key, each)
            else:
                given_fields = dict(fields)
                batches = given_fields.pop("batches", [])
                result = getattr(world, name)(*batches, key=KEYS[index], **given_fields)
                assert result.code is models[index].expected(name, **fields), (name, fields)
            for key, each in zip(KEYS, models, strict=True):
                _check(world, key, each)


def _forget(world: ShareWorld, key: Any, expected: Model) -> None:
    """A state that began anew does not say which leader the former one had: if that is deleted, it is not known."""
    found = world.state(key)
    if found is not None and found[1] != expected.leader_epoch:
        assert found[1] < expected.leader_epoch
        expected.leader_epoch = found[1]


def _check(world: ShareWorld, key: Any, expected: Model) -> None:
    coordinator = world.coordinator
    of_topic: dict[bytes, set[SharePartitionKey]] = {}
    for each in coordinator._stored.by_key:
        of_topic.setdefault(each.topic_id, set()).add(each)
    assert {topic_id: set(keys) for topic_id, keys in coordinator._stored.of_topic.items()} == of_topic
    assert coordinator._stored.needed._snapshots.keys() == coordinator._stored.by_key.keys()
    found = world.state(key)
    if expected.state is None:
        assert found is None
        return
    state, leader_epoch, state_epoch, _ = found
    assert (leader_epoch, state_epoch) == (expected.leader_epoch, expected.state["epoch"])
    assert {
        "epoch": state.state_epoch,
        "start": state.start_offset,
        "count": state.delivery_complete_count,
        "batches": state.batches,
    } == expected.state
