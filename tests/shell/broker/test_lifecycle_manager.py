"""The broker's task towards the controllers, on a clock that jumps.

Tests: `shell.broker.metadata_applier`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from immutables import Map
from trio.testing import MockClock, wait_all_tasks_blocked

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.lifecycle import BrokerIdentity, BrokerLifecycle, BrokerState
from kafkaproto_server.metadata.image.entries import ConfigResource, PartitionImage, TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.broker import assignment_sender
from kafkaproto_server.shell.broker.lifecycle_manager import (
    BrokerChannels,
    BrokerLifecycleManager,
    DirectoryFailureNotToldError,
    LocalReplicas,
    RegistrationTimeout,
)
from kafkaproto_server.shell.quorum.image.published import Published
from kafkaproto_server.shell.to_controller.channel import ControllerUnavailable
from tests.core.broker.support.controller_responses import answer as assignments_response
from tests.core.broker.support.replica_notes import ReplicaNotes
from tests.node.support.controllers import ScriptedChannel, TrioClock

pytestmark = pytest.mark.trio


@pytest.fixture(autouse=True)
def real_time_plays_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere the sender rests the longer the more taking in an image has cost."""
    monkeypatch.setattr(assignment_sender, "REST_FACTOR", 0)


INTERVAL_MS = 2_000
SESSION_MS = 9_000
EPOCH = 28
OFFSET = 41


class Broker:
    """A broker half whose controller is a function of the request; keeps when each request came."""

    def __init__(self, response: Callable[[Message], Message | Exception], **timing: int) -> None:
        self.response = response
        self.asked_at_ms: list[int] = []
        self.clock = TrioClock()
        self.channel = ScriptedChannel(self._answer)
        self.assignment_channel = ScriptedChannel(self._answer_assignments)
        self.takes_assignments = trio.Event()
        self.takes_assignments.set()
        self.replicas = ReplicaNotes()
        self.published = Published(image=ClusterImage(offset=OFFSET))
        self.directories = directories = LogDirectories(
            [LogDirectory(path=f"/{each}", directory_id=bytes([each] * 16)) for each in (7, 8)]
        )
        self.lifecycle = BrokerLifecycle(
            BrokerIdentity(
                broker_id=1,
                cluster_id="c",
                incarnation_id=bytes(16),
                endpoints=(),
                rack=None,
                features={},
                previous_broker_epoch=-1,
            ),
            directories=directories,
            heartbeat_interval_ms=INTERVAL_MS,
            registration_timeout_ms=timing.get("registration_timeout_ms", 60_000),
            directory_failure_timeout_ms=timing.get("directory_failure_timeout_ms", 30_000),
            session_timeout_ms=SESSION_MS,
            now_ms=self.clock.now_ms(),
        )
        self.half = BrokerLifecycleManager(
            self.lifecycle,
            broker_id=1,
            replicas=LocalReplicas(directories=directories, on_disk=(), emptied=(), listener=self.replicas),
            static_config={},
            channels=BrokerChannels(heartbeats=self.channel, assignments=self.assignment_channel),
            published=self.published,
            heartbeat_interval_ms=INTERVAL_MS,
            clock=self.clock,
        )

    async def _answer(self, request: Message) -> Message:
        self.asked_at_ms.append(self.clock.now_ms())
        response = self.response(request)
        if isinstance(response, Exception):
            # As long as a channel tries.
            await trio.sleep(INTERVAL_MS / 1000)
            raise response
        return response

    async def _answer_assignments(self, request: Message) -> Message:
        await self.takes_assignments.wait()
        response = self.response(request)
        if isinstance(response, Exception):
            raise response
        return response

    @property
    def asked(self) -> list[Message]:
        return self.channel.asked


def welcome(request: Message) -> Message:
    """A controller that lets a broker do what it wants."""
    if isinstance(request, BrokerRegistrationRequest):
        return BrokerRegistrationResponse(broker_epoch=EPOCH)
    assert isinstance(request, BrokerHeartbeatRequest)
    wants_shutdown = request.want_shut_down
    return BrokerHeartbeatResponse(
        is_caught_up=True, is_fenced=request.want_fence or wants_shutdown, should_shut_down=wants_shutdown
    )


def away(request: Message) -> Exception:
    return ControllerUnavailable(f"{request.NAME}: nobody is there")


async def test_it_has_started_once_the_broker_is_unfenced(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    assert (broker.half.is_running, broker.half.broker_epoch) == (False, None)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        assert (broker.half.is_running, broker.half.broker_epoch) == (True, EPOCH)
        registration, first, second = broker.asked
        assert isinstance(registration, BrokerRegistrationRequest)
        assert isinstance(first, BrokerHeartbeatRequest)
        assert (first.want_fence, first.current_metadata_offset, first.broker_epoch) == (True, OFFSET, EPOCH)
        assert isinstance(second, BrokerHeartbeatRequest)
        assert not second.want_fence
        # A heartbeat every two seconds from now on; each request may take as long.
        start_ms = broker.clock.now_ms()
        await trio.sleep(5)
        assert [at - start_ms for at in broker.asked_at_ms[3:]] == [2_000, 4_000]
        assert broker.channel.timeouts_ms == [INTERVAL_MS] * 5
        nursery.cancel_scope.cancel()


async def test_it_goes_on_trying_while_no_controller_is_there(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    failures = iter([True, True])
    broker = Broker(lambda request: away(request) if next(failures, False) else welcome(request))
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        nursery.cancel_scope.cancel()
    start_ms = broker.asked_at_ms[0]
    assert [at - start_ms for at in broker.asked_at_ms] == [0, 2_010, 4_020, 4_020, 4_020]
    assert caplog.messages == ["BrokerRegistrationRequest: nobody is there"] * 2


async def test_it_gives_up_when_the_time_for_registering_is_over(autojump_clock: MockClock) -> None:
    broker = Broker(lambda _: BrokerRegistrationResponse(error_code=101), registration_timeout_ms=5_000)
    with trio.fail_after(20), pytest.RaisesGroup(pytest.RaisesExc(RegistrationTimeout, match="in time")):
        await broker.half.run()
    assert len(broker.asked) == 3
    assert not broker.half.is_running


async def test_a_refusal_is_logged_once_and_again_when_it_is_another(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    codes = iter([101, 101, 104, 0, 101])

    def answer(request: Message) -> Message:
        code = next(codes, 0)
        if isinstance(request, BrokerRegistrationRequest):
            return BrokerRegistrationResponse(error_code=code, broker_epoch=EPOCH)
        return BrokerHeartbeatResponse(error_code=code, is_caught_up=True, is_fenced=False)

    broker = Broker(answer)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        nursery.cancel_scope.cancel()
    assert [message.split(":")[0] for message in caplog.messages] == [
        "the controller refused BrokerRegistrationRequest",
        "the controller refused BrokerRegistrationRequest",
        "the controller refused BrokerHeartbeatRequest",
    ]
    names = [message.split(": ")[1] for message in caplog.messages]
    assert names == [
        ErrorCode.DUPLICATE_BROKER_REGISTRATION.name,
        ErrorCode.INCONSISTENT_CLUSTER_ID.name,
        ErrorCode.DUPLICATE_BROKER_REGISTRATION.name,
    ]


async def run_and_leave(broker: Broker, *, after_ms: int, timeout_ms: int = 30_000) -> int:
    """Start, leave after a while; how long leaving took."""
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        await trio.sleep(after_ms / 1000)
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(timeout_ms)
        took_ms = broker.clock.now_ms() - begun_ms
        nursery.cancel_scope.cancel()
    return took_ms


async def test_leaving_does_not_wait_for_the_next_heartbeat(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    assert await run_and_leave(broker, after_ms=500) == 0
    last = broker.asked[-1]
    assert isinstance(last, BrokerHeartbeatRequest)
    assert last.want_shut_down
    assert broker.lifecycle.state is BrokerState.SHUTTING_DOWN
    assert (broker.half.is_running, broker.half.broker_epoch) == (False, EPOCH)


async def test_leaving_takes_until_the_controller_lets_the_broker_go(autojump_clock: MockClock) -> None:
    waits = iter([True, True])

    def answer(request: Message) -> Message:
        if isinstance(request, BrokerHeartbeatRequest) and request.want_shut_down and next(waits, False):
            return BrokerHeartbeatResponse()
        return welcome(request)

    assert await run_and_leave(Broker(answer), after_ms=500) == 50 + INTERVAL_MS


async def test_leaving_ends_with_its_time_if_the_controller_does_not_let_go(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        broker.response = lambda _: BrokerHeartbeatResponse(is_fenced=False)
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(7_000)
        assert broker.clock.now_ms() - begun_ms == 7_000
        assert "the controlled shutdown was not finished within 7000 ms" in caplog.text
        nursery.cancel_scope.cancel()


async def test_leaving_ends_early_if_nobody_answers(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        broker.response = away
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(30_000)
        assert broker.clock.now_ms() - begun_ms == 2 * INTERVAL_MS + 10


@pytest.mark.parametrize("is_waiting", [True, False], ids=["between requests", "inside a request"])
async def test_a_broker_that_never_registered_leaves_without_asking(
    autojump_clock: MockClock, is_waiting: bool
) -> None:
    broker = Broker(
        lambda request: BrokerRegistrationResponse(error_code=101) if is_waiting else away(request)
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.half.run)
        await wait_all_tasks_blocked()
        begun_ms = broker.clock.now_ms()
        await broker.half.leave(30_000)
        assert broker.clock.now_ms() - begun_ms == (0 if is_waiting else INTERVAL_MS)
    assert len(broker.asked) == 1
    assert broker.half.broker_epoch is None


async def test_leaving_after_its_task_was_cancelled_returns_at_once(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        nursery.cancel_scope.cancel()
    begun_ms = broker.clock.now_ms()
    await broker.half.leave(30_000)
    assert broker.clock.now_ms() == begun_ms


def never_caught_up(request: Message) -> Message:
    if isinstance(request, BrokerRegistrationRequest):
        return BrokerRegistrationResponse(broker_epoch=EPOCH)
    return BrokerHeartbeatResponse(is_caught_up=False, is_fenced=True)


async def test_while_it_waits_to_be_caught_up_it_asks_every_10_ms_and_lets_others_run(
    autojump_clock: MockClock,
) -> None:
    broker, ticks = Broker(never_caught_up), 0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.half.run)
        while ticks < 10:
            await trio.sleep(0.1)
            ticks += 1
        nursery.cancel_scope.cancel()
    assert 99 <= len(broker.asked) <= 103
    assert not broker.half.is_running


TOPIC_ID = bytes([0x41] * 16)
UNASSIGNED = bytes(15) + b"\x01"
CORDONED_CONFIG = (4, "1")


def with_directories(*directory_ids: bytes, offset: int = OFFSET) -> ClusterImage:
    """An image in which the replicas of a topic on broker 1 lie there."""
    partitions = {
        index: PartitionImage(replicas=(1,), directories=(directory_id,), isr=(1,))
        for index, directory_id in enumerate(directory_ids)
    }
    topic = TopicImage(name="t", topic_id=TOPIC_ID, partitions=Map(partitions))
    return ClusterImage(offset=offset, topics=Map({TOPIC_ID: topic}))


def recording(broker: Broker) -> Callable[[Message], Message | Exception]:
    """A controller that lets the broker's metadata show what it assigns."""

    def answer(request: Message) -> Message | Exception:
        if not isinstance(request, AssignReplicasToDirsRequest):
            return welcome(request)
        recorded = {
            partition.partition_index: directory.id
            for directory in request.directories
            for topic in directory.topics
            for partition in topic.partitions
        }
        broker.published.image = with_directories(*(recorded[index] for index in sorted(recorded)))
        broker.published.notify()
        return assignments_response(request)

    return answer


async def test_a_broker_with_several_directories_is_unfenced_once_its_assignments_are_recorded(
    autojump_clock: MockClock,
) -> None:
    broker = Broker(welcome)
    failures = iter([True, True])
    take = recording(broker)

    def answer(request: Message) -> Message | Exception:
        if isinstance(request, AssignReplicasToDirsRequest) and next(failures, False):
            return ControllerUnavailable("nobody is there")
        return take(request)

    broker.response = answer
    broker.published.image = with_directories(UNASSIGNED, UNASSIGNED)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        assert len(broker.assignment_channel.asked) == 3
        asked = broker.assignment_channel.asked[-1]
        assert isinstance(asked, AssignReplicasToDirsRequest)
        assert (asked.broker_id, asked.broker_epoch) == (1, EPOCH)
        assert [each.id[0] for each in asked.directories] == [7, 8]
        fences = [each.want_fence for each in broker.asked if isinstance(each, BrokerHeartbeatRequest)]
        # It asks every 10 ms; the two pauses before the third attempt take 300 ms.
        assert (fences[-1], all(fences[:-1]), len(fences) > 30) == (False, True, True)
        assert broker.half.queued_replica_to_dir_assignments == 0
        nursery.cancel_scope.cancel()


async def test_assignments_go_on_while_the_broker_serves(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    broker.response = recording(broker)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        assert broker.assignment_channel.asked == []
        broker.published.image = with_directories(UNASSIGNED)
        broker.published.notify()
        await trio.sleep(0.1)
        assert len(broker.assignment_channel.asked) == 1
        nursery.cancel_scope.cancel()


async def test_metadata_are_applied_while_no_controller_answers_assignments(
    autojump_clock: MockClock,
) -> None:
    def answer(request: Message) -> Message:
        return (
            assignments_response(request)
            if isinstance(request, AssignReplicasToDirsRequest)
            else welcome(request)
        )

    broker = Broker(answer)
    broker.takes_assignments = trio.Event()
    asked = broker.assignment_channel.asked
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        for count in (1, 2, 3):
            broker.published.image = with_directories(*[UNASSIGNED] * count)
            broker.published.notify()
            # Heartbeats would apply them, too.
            await trio.sleep(INTERVAL_MS / 1000 / 100)
            assert set(broker.replicas.placed) == {(TOPIC_ID, index) for index in range(count)}
        assert len(asked) == 1
        broker.takes_assignments.set()
        await trio.sleep(INTERVAL_MS / 1000 / 100)
        # What came meanwhile goes into one request.
        second = asked[-1]
        assert len(asked) == 2
        assert isinstance(second, AssignReplicasToDirsRequest)
        assert sum(len(each.topics[0].partitions) for each in second.directories) == 2
        assert broker.half.queued_replica_to_dir_assignments == 0
        nursery.cancel_scope.cancel()


async def test_refused_assignments_count_as_queued_and_are_logged(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(request: Message) -> Message:
        if isinstance(request, AssignReplicasToDirsRequest):
            return AssignReplicasToDirsResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)
        return welcome(request)

    broker = Broker(answer)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        broker.published.image = with_directories(UNASSIGNED, UNASSIGNED)
        broker.published.notify()
        await trio.sleep(0.25)
        assert broker.half.queued_replica_to_dir_assignments == 2
        assert (
            caplog.messages
            == ["the controller refused to record the directories of 2 replicas: STALE_BROKER_EPOCH"] * 2
        )
        nursery.cancel_scope.cancel()


async def test_a_failed_directory_is_told_without_waiting_for_the_next_heartbeat(
    autojump_clock: MockClock,
) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        count = len(broker.asked)
        broker.directories.fail("/8", "EIO")
        broker.half.directories_changed()
        await trio.sleep(0.1)
        assert len(broker.asked) == count + 1
        told = broker.asked[-1]
        assert isinstance(told, BrokerHeartbeatRequest)
        assert told.offline_log_dirs == [bytes([8] * 16)]
        nursery.cancel_scope.cancel()


async def test_replicas_are_left_alone_until_the_metadata_are_as_new_as_the_registration(
    autojump_clock: MockClock,
) -> None:
    """Older metadata may have replicas that are not on this broker any more."""
    is_caught_up = False

    def answer(request: Message) -> Message | Exception:
        response = welcome(request)
        if isinstance(response, BrokerHeartbeatResponse):
            response.is_caught_up = is_caught_up
        return response

    broker = Broker(answer)
    broker.published.image = with_directories(bytes([7] * 16))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(broker.half.run)
        await trio.sleep(5)
        assert not broker.replicas.placed
        is_caught_up = True
        await trio.sleep(5)
        assert list(broker.replicas.placed.values()) == [bytes([7] * 16)]
        nursery.cancel_scope.cancel()


async def test_a_broker_that_cannot_tell_of_a_failed_directory_ends(autojump_clock: MockClock) -> None:
    broker = Broker(welcome, directory_failure_timeout_ms=9_000)
    times: list[int] = []

    async def run_until_its_end() -> None:
        with pytest.RaisesGroup(
            pytest.RaisesExc(DirectoryFailureNotToldError, match=r"log\.dir\.failure\.timeout\.ms"),
            flatten_subgroups=True,
        ):
            async with trio.open_nursery() as nursery:
                await nursery.start(broker.half.run)
                broker.response = away
                broker.directories.fail("/8", "EIO")
                broker.half.directories_changed()
                times.append(broker.clock.now_ms())
                with trio.fail_after(60):
                    await trio.sleep_forever()
        times.append(broker.clock.now_ms())

    await run_until_its_end()
    # Each attempt takes an interval.
    assert 9_000 <= times[1] - times[0] <= 9_000 + INTERVAL_MS + 10


async def test_cordoned_directories_follow_the_metadata(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    broker = Broker(welcome)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)

        async def told(value: str) -> list[bytes]:
            values: Map[str, str] = Map({"cordoned.log.dirs": value})
            configs: Map[ConfigResource, Map[str, str]] = Map([(CORDONED_CONFIG, values)])
            broker.published.image = ClusterImage(offset=OFFSET, configs=configs)
            broker.published.notify()
            await trio.sleep(0.1)
            request = broker.asked[-1]
            assert isinstance(request, BrokerHeartbeatRequest)
            return request.cordoned_log_dirs or []

        seven, eight = (bytes([each] * 16) for each in (7, 8))
        assert await told("/8") == [eight]
        assert await told("*") == [seven, eight]
        assert broker.half.metadata_apply_errors == 0
        assert await told("/7, /9") == [seven]
        assert broker.half.metadata_apply_errors == 1
        assert "cordoned.log.dirs names /9, which is not in log.dirs, which has /7, /8" in caplog.text
        count = len(broker.asked)
        assert await told("/7") == [seven]
        assert len(broker.asked) == count, "nothing is new about it"
        assert await told("") == []
        nursery.cancel_scope.cancel()


async def test_the_state_is_told_by_kafkas_number(autojump_clock: MockClock) -> None:
    broker = Broker(welcome)
    assert broker.half.state_code == 1
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        assert broker.half.state_code == 3
        nursery.cancel_scope.cancel()


async def test_a_session_lasts_from_the_last_heartbeat_that_was_taken(autojump_clock: MockClock) -> None:
    """It counts from when that was sent: the controller may have got it at once, and its response took long."""
    is_away = False
    broker = Broker(lambda request: away(request) if is_away else welcome(request))
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        await trio.sleep(60)
        assert not broker.half.is_session_over
        is_away = True
        last_ms = broker.asked_at_ms[-1]
        await trio.sleep((last_ms + SESSION_MS - 1 - broker.clock.now_ms()) / 1000)
        assert not broker.half.is_session_over
        await trio.sleep(0.001)
        assert broker.half.is_session_over
        is_away = False
        await trio.sleep(INTERVAL_MS / 1000 + 0.1)
        assert not broker.half.is_session_over
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(("highest", "warnings"), [(1, 1), (2, 0)])
async def test_it_says_once_that_the_controller_is_too_old_for_cordoned_directories(
    highest: int, warnings: int, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    broker = Broker(welcome)
    broker.channel.versions = {63: (0, highest)}
    configs: Map[ConfigResource, Map[str, str]] = Map([(CORDONED_CONFIG, Map({"cordoned.log.dirs": "/8"}))])
    broker.published.image = ClusterImage(offset=OFFSET, configs=configs)
    async with trio.open_nursery() as nursery:
        await nursery.start(broker.half.run)
        await trio.sleep(5)
        nursery.cancel_scope.cancel()
    assert ["without cordoned log directories" in each for each in caplog.messages] == [True] * warnings
