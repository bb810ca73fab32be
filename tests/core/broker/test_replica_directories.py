"""Where a broker's replicas lie and what it tells the controllers, from image to image (KIP-858).

Tests: `core.broker.directory_choice`, `core.broker.found_replicas`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from immutables import Map

from kafkaproto import uuids
from kafkaproto_server.core.broker import directory_choice, replica_directories
from kafkaproto_server.core.broker.assignments import AssignmentQueue
from kafkaproto_server.core.broker.directories import LogDirectories, LogDirectory
from kafkaproto_server.core.broker.replica_directories import (
    ReplicaDirectories,
    ReplicaInSeveralDirectoriesError,
)
from kafkaproto_server.core.broker.start_table import FoundReplica
from kafkaproto_server.metadata.image.entries import (
    LOST_DIRECTORY,
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
    PartitionImage,
    TopicImage,
)
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.core.broker.support.controller_responses import answer
from tests.core.broker.support.replica_notes import ReplicaNotes

X, Y, Z = (bytes([each] * 16) for each in (0x31, 0x32, 0x33))
FOREIGN = bytes([0x77] * 16)
TOPIC, OTHER = (bytes([each] * 16) for each in (0x41, 0x42))
ME = 1


class Broker:
    """Broker 1 with directories X, Y, ..., and a cluster whose partitions a test sets."""

    def __init__(
        self,
        *directory_ids: bytes,
        on_disk: tuple[FoundReplica, ...] = (),
        emptied: tuple[bytes, ...] = (),
    ) -> None:
        self.directories = LogDirectories(
            [LogDirectory(path=f"/{chr(each[0])}", directory_id=each) for each in directory_ids]
        )
        self.queue = AssignmentQueue(ME)
        self.notes = ReplicaNotes()
        self.replicas = ReplicaDirectories(
            ME, self.directories, self.queue, on_disk, self.notes, emptied=emptied
        )
        self.image = ClusterImage()

    def see(
        self,
        topic_id: bytes = TOPIC,
        *,
        is_alone: bool = False,
        isr: tuple[int, ...] | None = None,
        elr: tuple[int, ...] = (),
        last_known_elr: tuple[int, ...] = (),
        **partitions: bytes | None,
    ) -> None:
        """The metadata come to show these directories of this broker, ``p3=X``; None for a replica elsewhere. All
        replicas are in sync unless said otherwise. If the broker ``is_alone``, there is no replica but its own."""
        known = self.image.topics.get(topic_id)
        shown: Map[int, PartitionImage] = Map() if known is None else known.partitions
        for name, directory_id in partitions.items():
            replicas: tuple[int, ...] = (2, ME)
            directories: tuple[bytes, ...] = (FOREIGN, directory_id or FOREIGN)
            if directory_id is None:
                replicas, directories = (2, 3), (FOREIGN, FOREIGN)
            if is_alone:
                replicas, directories = replicas[1:], directories[1:]
            partition = PartitionImage(
                replicas=replicas,
                directories=directories,
                isr=replicas if isr is None else isr,
                elr=elr,
                last_known_elr=last_known_elr,
            )
            shown = shown.set(int(name[1:]), partition)
        topic = TopicImage(name=uuids.to_text(topic_id), topic_id=topic_id, partitions=shown)
        self.take(self.image.topics.set(topic_id, topic))

    def take(self, topics: Map[bytes, TopicImage]) -> None:
        names = Map({topic.name: topic_id for topic_id, topic in topics.items()})
        self.image = ClusterImage(topics=topics, topic_ids=names)
        self.replicas.apply(self.image)
        while self.replicas.look():
            assert not self.replicas.are_known

    @property
    def queued(self) -> dict[Any, bytes]:
        """What is to be sent, by partition of TOPIC or by replica."""
        return {
            index if topic_id == TOPIC else (topic_id, index): directory_id
            for (topic_id, index), directory_id in self.queue._wanted.items()
        }


def test_what_the_metadata_know_is_not_told_again() -> None:
    broker = Broker(X, Y)
    broker.see(p0=X, p1=Y, p2=None)
    assert (broker.queued, broker.replicas.are_known) == ({}, True)
    found = [broker.replicas.directory_of((TOPIC, index)) for index in range(3)]
    assert found == [X, Y, None]


@pytest.mark.parametrize("recorded", [UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY])
def test_new_replicas_are_spread_over_several_directories_and_told(recorded: bytes) -> None:
    broker = Broker(X, Y, Z)
    broker.see(p0=X, p1=X, p2=Y)
    broker.see(OTHER, p0=recorded, p1=recorded, p2=recorded)
    assert broker.queued == {(OTHER, 0): Z, (OTHER, 1): Y, (OTHER, 2): Z}
    assert not broker.replicas.are_known


def test_the_broker_stays_unknown_until_the_metadata_show_its_choices() -> None:
    broker = Broker(X, Y)
    broker.see(p0=UNASSIGNED_DIRECTORY, p1=UNASSIGNED_DIRECTORY)
    # Changes of other kinds do not make it choose again, though the other directory is emptier by now.
    broker.see(OTHER, p0=X, p1=X)
    broker.see(p0=UNASSIGNED_DIRECTORY)
    assert broker.queued == {0: X, 1: Y}
    broker.see(p0=X)
    assert (broker.queued, broker.replicas.are_known) == ({1: Y}, False)
    # The records are in the chosen directory, whatever the controller decides.
    broker.see(p1=X)
    assert (broker.queued, broker.replicas.are_known) == ({1: Y}, False)
    assert broker.replicas.directory_of((TOPIC, 1)) == Y
    broker.see(p1=Y)
    assert (broker.queued, broker.replicas.are_known) == ({}, True)


def test_what_the_controller_has_accepted_is_not_sent_with_every_change_of_the_partition() -> None:
    broker = Broker(X, Y)
    broker.see(p0=UNASSIGNED_DIRECTORY)
    broker.queue.handle_response(answer(broker.queue.next_request(1, 0)), 0)
    broker.see(p0=UNASSIGNED_DIRECTORY)
    assert (broker.queued, broker.replicas.are_known) == ({}, False)


@pytest.mark.parametrize("recorded", [UNASSIGNED_DIRECTORY, MIGRATING_DIRECTORY])
def test_a_broker_with_one_directory_tells_nothing_of_new_replicas(recorded: bytes) -> None:
    broker = Broker(X)
    broker.see(p0=recorded)
    assert (broker.queued, broker.replicas.are_known) == ({}, True)
    assert broker.replicas.directory_of((TOPIC, 0)) == X


@pytest.mark.parametrize("recorded", [LOST_DIRECTORY, FOREIGN], ids=["lost", "unknown"])
def test_a_lost_replica_is_mended_even_by_a_broker_with_one_directory_which_does_not_wait_for_it(
    recorded: bytes,
) -> None:
    broker = Broker(X)
    broker.see(p0=recorded, isr=(2,))
    assert (broker.queued, broker.replicas.are_known) == ({0: X}, True)
    several = Broker(X, Y)
    several.see(p0=recorded, isr=(2,))
    assert (several.queued, several.replicas.are_known) == ({0: X}, False)


@pytest.mark.parametrize("emptied", [(X,), ()], ids=["found when it was placed", "found when it was opened"])
def test_a_broker_with_one_directory_waits_until_the_metadata_show_what_is_lost(
    emptied: tuple[bytes, ...],
) -> None:
    broker = Broker(X, emptied=emptied)
    broker.see(p0=X, p1=X)
    if not emptied:
        broker.replicas.lost((TOPIC, 0))
        broker.replicas.lost((TOPIC, 1))
    assert (broker.queued, broker.replicas.are_known) == ({0: LOST_DIRECTORY, 1: LOST_DIRECTORY}, False)
    broker.see(p0=LOST_DIRECTORY, isr=(2,))
    assert (broker.queued, broker.replicas.are_known) == ({1: LOST_DIRECTORY}, False)
    broker.see(p1=LOST_DIRECTORY, isr=(2,))
    assert (broker.queued, broker.replicas.are_known) == ({}, True)
    # Fetched anew: others may lead meanwhile, and it need not wait until that is known.
    broker.replicas.found((TOPIC, 0))
    assert (broker.queued, broker.replicas.are_known) == ({0: X}, True)


LISTS = ("isr", "elr", "last_known_elr")


@pytest.mark.parametrize("counted", LISTS)
@pytest.mark.parametrize("recorded", [LOST_DIRECTORY, FOREIGN], ids=["lost", "unknown"])
def test_a_replica_that_was_in_no_directory_of_these_is_lost_if_the_controllers_count_on_it(
    recorded: bytes, counted: str
) -> None:
    broker = Broker(X, Y)
    lists = {**dict.fromkeys(LISTS, ()), counted: (ME,)}
    broker.see(p0=recorded, isr=lists["isr"], elr=lists["elr"], last_known_elr=lists["last_known_elr"])
    assert broker.notes.lost_all == {(TOPIC, 0): X}
    assert broker.notes.placed == {}
    if recorded == FOREIGN:
        # No directory of the broker is recorded for it: it stays fenced until they have heard of that.
        assert (broker.queued, broker.replicas.are_known) == ({0: LOST_DIRECTORY}, False)
    # It changes: it is still lost, and was told to be so once.
    broker.see(p0=LOST_DIRECTORY, isr=(2,))
    assert (broker.queued, broker.replicas.are_known) == ({}, True)
    assert broker.notes.placed == {(TOPIC, 0): None}
    broker.replicas.found((TOPIC, 0))
    assert broker.queued == {0: X}


def test_the_only_replica_was_given_up_with_its_directory() -> None:
    broker = Broker(X, Y)
    broker.see(p0=FOREIGN, is_alone=True)
    broker.see(OTHER, p0=X, is_alone=True)
    assert broker.notes.lost_all == {}
    emptied = Broker(X, emptied=(X,))
    emptied.see(p0=X, is_alone=True)
    assert emptied.notes.lost_all == {(TOPIC, 0): X}


def test_what_an_emptied_directory_had_is_lost_if_the_controllers_count_on_it() -> None:
    broker = Broker(X, Y, emptied=(X,))
    broker.see(p0=X, p1=Y)
    broker.see(OTHER, p0=X, isr=(2,))
    assert broker.notes.lost_all == {(TOPIC, 0): X}
    assert broker.notes.placed == {(TOPIC, 1): Y, (OTHER, 0): X}
    assert broker.queued == {0: LOST_DIRECTORY}


def test_what_comes_after_the_start_is_new_in_an_emptied_directory() -> None:
    broker = Broker(X, emptied=(X,))
    broker.see(OTHER, p0=None)
    assert broker.notes.times_placed == 1
    broker.see(p0=X, p1=FOREIGN)
    assert (broker.notes.lost_all, broker.notes.times_placed) == ({}, 1)
    assert broker.notes.placed == {(TOPIC, 0): X, (TOPIC, 1): X}


@pytest.mark.parametrize("emptied", [(X,), (X, Y)])
def test_what_was_in_an_unknown_directory_is_lost_if_all_were_emptied(emptied: tuple[bytes, ...]) -> None:
    broker = Broker(X, Y, emptied=emptied)
    broker.see(p0=UNASSIGNED_DIRECTORY)
    assert ((TOPIC, 0) in broker.notes.lost_all) is (emptied == (X, Y))


def test_a_replica_that_is_not_here_any_more_is_lost_no_longer() -> None:
    broker = Broker(X, emptied=(X,))
    broker.see(p0=X)
    broker.see(p0=None)
    broker.see(p0=X)
    assert broker.notes.placed == {(TOPIC, 0): X}


@pytest.mark.parametrize("recorded", [LOST_DIRECTORY, FOREIGN], ids=["lost", "unknown"])
def test_a_lost_replica_may_be_in_a_directory_that_is_offline(recorded: bytes) -> None:
    broker = Broker(X, Y)
    broker.directories.fail("/2", "EIO")
    broker.see(p0=recorded, p1=UNASSIGNED_DIRECTORY, p2=Y)
    assert broker.queued == {1: X}
    found = [broker.replicas.directory_of((TOPIC, index)) for index in range(3)]
    assert found == [None, X, Y]


def test_a_replica_in_a_directory_that_fails_before_it_is_recorded_is_reported_in_there() -> None:
    """It may have records already, so the controllers take it out of the ISR."""
    broker = Broker(X, Y)
    broker.see(p0=UNASSIGNED_DIRECTORY, p1=UNASSIGNED_DIRECTORY)
    broker.directories.fail("/1", "EIO")
    broker.see(OTHER, p0=UNASSIGNED_DIRECTORY)
    assert broker.queued == {0: X, 1: Y, (OTHER, 0): Y}
    assert broker.notes.placed[TOPIC, 0] == X
    broker.see(p0=X, p1=Y)
    assert broker.queued == {(OTHER, 0): Y}
    assert broker.notes.placed[TOPIC, 0] is None


def found(
    directory_id: bytes,
    name: str,
    topic_id: bytes | None = TOPIC,
    *,
    index: int = 0,
    is_future: bool = False,
) -> FoundReplica:
    return FoundReplica(directory_id, name, "t", index, topic_id, is_future)


def test_what_is_no_replica_of_this_broker_is_set_aside_before_anything_is_opened() -> None:
    gone = bytes([0x66] * 16)
    broker = Broker(
        X,
        Y,
        on_disk=(
            found(X, "a topic that is gone", gone),
            found(X, "without an id", None),
            found(Y, "moved to other brokers", index=1),
            found(Y, "a partition that never was", index=9),
            found(Y, "a future copy of nothing", gone, is_future=True),
            found(Y, "in use"),
        ),
    )
    broker.see(p0=X, p1=None)
    assert broker.notes.order == [
        "a topic that is gone",
        "without an id",
        "moved to other brokers",
        "a partition that never was",
        "a future copy of nothing",
        TOPIC,
    ]
    assert (broker.notes.placed, broker.queued) == ({(TOPIC, 0): Y}, {0: Y})


def test_the_second_of_two_copies_is_set_aside_and_a_future_copy_is_told_of() -> None:
    broker = Broker(X, Y, Z, on_disk=(found(X, "one"), found(Y, "two"), found(Z, "three", is_future=True)))
    broker.see(p0=Y)
    assert (broker.notes.placed, broker.notes.strays) == ({(TOPIC, 0): Y}, ["one"])
    assert broker.notes.futures == ["three"]
    assert broker.replicas.are_known


def damaged(directory_id: bytes, name: str, index: int = 0, *, torn_id: str | None = None) -> FoundReplica:
    """A partition of TOPIC, as only its name says."""
    topic = uuids.to_text(TOPIC)
    return FoundReplica(
        directory_id, name, topic, index, None, is_future=False, is_damaged=True, torn_id=torn_id
    )


def test_a_replica_whose_topic_id_is_damaged_is_where_its_name_says() -> None:
    """Its copy may lack the newest records."""
    broker = Broker(X, Y, on_disk=(damaged(X, "the replica"), found(Y, "a copy", is_future=True)))
    broker.see(p0=X)
    assert broker.notes.placed == {(TOPIC, 0): X}
    assert (broker.notes.strays, broker.notes.futures) == ([], ["a copy"])


def test_a_replica_whose_topic_id_is_damaged_is_left_alone_if_the_metadata_has_it_nowhere_here() -> None:
    broker = Broker(X, on_disk=(damaged(X, "elsewhere"), damaged(X, "no such partition", 7)))
    broker.see(p0=None, p1=X)
    assert (broker.notes.placed, broker.notes.strays) == ({(TOPIC, 1): X}, [])


@pytest.mark.parametrize("length", [1, 21])
def test_a_torn_topic_id_says_whose_the_replica_is_as_far_as_it_goes(length: int) -> None:
    ours, others = (uuids.to_text(each)[:length] for each in (TOPIC, FOREIGN))
    broker = Broker(X, Y, on_disk=(damaged(X, "ours", torn_id=ours), damaged(Y, "others", torn_id=others)))
    broker.see(p0=Y)
    assert (broker.notes.placed, broker.notes.strays) == ({(TOPIC, 0): X}, ["others"])


@pytest.mark.parametrize("length", [0, 9])
def test_a_replica_whose_topic_id_is_torn_is_set_aside_if_the_metadata_has_it_nowhere_here(
    length: int,
) -> None:
    torn_id = uuids.to_text(TOPIC)[:length]
    broker = Broker(
        X, on_disk=(damaged(X, "elsewhere", torn_id=torn_id), damaged(X, "gone", 7, torn_id=torn_id))
    )
    broker.see(p0=None)
    assert broker.notes.strays == ["elsewhere", "gone"]


@pytest.mark.parametrize(
    ("needed", "strays"),
    [
        ({"isr": (2, ME)}, []),
        ({"elr": (ME,)}, []),
        ({"last_known_elr": (ME,)}, []),
        ({}, ["of a former topic, perhaps"]),
    ],
)
def test_a_replica_without_a_topic_id_is_opened_only_if_others_may_lack_its_records(
    needed: dict[str, Any], strays: list[str]
) -> None:
    broker = Broker(X, Y, on_disk=(damaged(Y, "of a former topic, perhaps", torn_id=""),))
    fields = {"replicas": (2, ME), "directories": (FOREIGN, UNASSIGNED_DIRECTORY), "isr": (2,), **needed}
    topic = TopicImage(
        name=uuids.to_text(TOPIC), topic_id=TOPIC, partitions=Map({0: PartitionImage(**fields)})
    )
    broker.take(Map({TOPIC: topic}))
    assert broker.notes.strays == strays
    assert broker.notes.placed == {(TOPIC, 0): X if strays else Y}


def test_a_damaged_replica_is_set_aside_if_the_metadata_records_another_one() -> None:
    broker = Broker(X, Y, on_disk=(damaged(X, "damaged"), found(Y, "recorded")))
    broker.see(p0=Y)
    assert (broker.notes.placed, broker.notes.strays) == ({(TOPIC, 0): Y}, ["damaged"])


def test_a_replica_that_moves_is_where_it_was_until_the_controllers_record_the_new_directory() -> None:
    broker = Broker(X, Y)
    broker.see(p0=X, p1=X)
    broker.replicas.will_move((TOPIC, 0), Y)
    assert (broker.queued, broker.replicas.directory_of((TOPIC, 0))) == ({0: Y}, X)
    broker.see(p0=Y)
    assert broker.queued == {}
    broker.replicas.has_moved((TOPIC, 0), Y)
    assert (broker.queued, broker.replicas.directory_of((TOPIC, 0))) == ({}, Y)
    # What is in a directory counts for the next choice.
    broker.see(p2=UNASSIGNED_DIRECTORY, p3=UNASSIGNED_DIRECTORY, p4=UNASSIGNED_DIRECTORY)
    assert sorted(broker.queued.values()) == [X, X, Y]


def test_a_move_that_is_given_up_takes_back_a_report_that_is_queued() -> None:
    broker = Broker(X, Y)
    broker.see(p0=X)
    broker.replicas.will_move((TOPIC, 0), Y)
    broker.replicas.stays((TOPIC, 0))
    assert (broker.queued, broker.replicas.are_known) == ({}, True)


def test_a_move_that_is_given_up_reports_the_old_directory_if_the_new_one_was_recorded() -> None:
    broker = Broker(X, Y)
    broker.see(p0=X)
    broker.replicas.will_move((TOPIC, 0), Y)
    request = broker.queue.next_request(1, 0)
    # The report is under way.
    broker.replicas.stays((TOPIC, 0))
    broker.queue.handle_response(answer(request), 0)
    assert broker.queued == {}
    broker.see(p0=Y)
    assert broker.queued == {0: X}


def test_a_replica_that_moves_and_loses_its_directory_is_reported_in_there() -> None:
    broker = Broker(X, Y)
    broker.see(p0=X)
    broker.replicas.will_move((TOPIC, 0), Y)
    broker.see(p0=Y)
    broker.directories.fail("/1", "EIO")
    broker.replicas.stays((TOPIC, 0))
    assert broker.queued == {0: X}


def test_a_replica_that_is_removed_while_it_moves_is_forgotten() -> None:
    broker = Broker(X, Y)
    broker.see(p0=X)
    broker.replicas.will_move((TOPIC, 0), Y)
    broker.see(p0=None)
    broker.replicas.stays((TOPIC, 0))
    assert broker.queued == {}


def test_a_new_replica_begins_in_the_directory_that_was_asked_for() -> None:
    broker = Broker(X, Y)
    broker.see(p0=UNASSIGNED_DIRECTORY)
    name = uuids.to_text(TOPIC)
    for directory_id in (Y, X):
        broker.replicas.prefer(name, 1, directory_id)
    broker.replicas.prefer(name, 2, X)
    broker.see(p1=UNASSIGNED_DIRECTORY, p2=X, p3=UNASSIGNED_DIRECTORY)
    assert broker.queued == {0: X, 1: X, 3: Y}


def test_a_preferred_directory_that_failed_is_not_taken() -> None:
    broker = Broker(X, Y)
    broker.replicas.prefer(uuids.to_text(TOPIC), 0, X)
    broker.directories.fail("/1", "EIO")
    broker.see(p0=UNASSIGNED_DIRECTORY)
    assert broker.queued == {0: Y}


def test_only_so_many_preferred_directories_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory_choice, "MAX_PREFERENCES", 2)
    broker = Broker(X, Y, Z)
    for index in range(3):
        broker.replicas.prefer(uuids.to_text(TOPIC), index, Z)
    broker.see(p0=UNASSIGNED_DIRECTORY, p1=UNASSIGNED_DIRECTORY, p2=UNASSIGNED_DIRECTORY)
    assert broker.queued == {0: X, 1: Z, 2: Z}


def test_a_replica_that_is_not_here_is_neither_lost_nor_found() -> None:
    broker = Broker(X, Y)
    broker.see(p0=None)
    broker.replicas.found((TOPIC, 0))
    broker.replicas.lost((TOPIC, 0))
    # It comes here, and begins as any other replica.
    broker.see(p0=X)
    assert (broker.queued, broker.replicas.are_known) == ({}, True)


@pytest.mark.parametrize("comes", [True, False])
def test_a_replica_that_comes_or_goes_is_reported_when_its_change_is_looked_at(
    comes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica_directories, "PARTITIONS_PER_LOOK", 1)
    broker = Broker(X, Y)
    here = PartitionImage(replicas=(2, ME), directories=(FOREIGN, X), isr=(2, ME))
    elsewhere = PartitionImage(replicas=(2, 3), directories=(FOREIGN, FOREIGN), isr=(2, 3))
    for partition in (elsewhere, here) if comes else (here, elsewhere):
        while broker.replicas.look():
            pass
        topic = TopicImage(name=uuids.to_text(TOPIC), topic_id=TOPIC, partitions=Map({0: partition}))
        broker.replicas.apply(ClusterImage(topics=Map({TOPIC: topic})))
    # The first look begins with the newest topics, and does not reach the replica.
    assert broker.replicas.look()
    assert (broker.replicas.directory_of((TOPIC, 0)) is None) == comes
    broker.replicas.will_move((TOPIC, 0), Y)
    assert broker.queued == {}


def test_a_broker_with_newer_metadata_does_not_know_all_its_places_until_it_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica_directories, "PARTITIONS_PER_LOOK", 1)
    broker = Broker(X, Y)
    broker.see(p0=X)
    assert broker.replicas.are_known
    partitions = Map(
        {index: PartitionImage(replicas=(ME,), directories=(X,), isr=(ME,)) for index in range(3)}
    )
    topic = TopicImage(name=uuids.to_text(TOPIC), topic_id=TOPIC, partitions=partitions)
    broker.replicas.apply(ClusterImage(topics=Map({TOPIC: topic})))
    assert not broker.replicas.are_known
    looks = 0
    while broker.replicas.look():
        assert not broker.replicas.are_known
        looks += 1
    assert looks > 1
    assert broker.replicas.are_known


def test_a_future_copy_in_the_directory_of_its_replica_is_set_aside() -> None:
    broker = Broker(X, on_disk=(found(X, "replica"), found(X, "future", is_future=True)))
    broker.see(p0=X)
    assert (broker.notes.placed, broker.notes.strays) == ({(TOPIC, 0): X}, ["future"])


def test_a_future_copy_becomes_the_replica_and_is_reported() -> None:
    broker = Broker(X, Y, on_disk=(found(Y, "future", is_future=True),))
    broker.see(p0=X)
    assert (broker.notes.placed, broker.notes.strays, broker.queued) == ({(TOPIC, 0): Y}, [], {0: Y})


def test_a_future_copy_waits_for_an_offline_directory_and_stays_where_it_is() -> None:
    broker = Broker(X, Y, Z, on_disk=(found(Y, "future", is_future=True),))
    broker.directories.fail("/3", "EIO")
    broker.see(p0=Y)
    assert (broker.notes.placed, broker.notes.strays) == ({(TOPIC, 0): None}, [])
    assert (broker.queued, broker.replicas.are_known) == ({0: LOST_DIRECTORY}, False)
    broker.queue.handle_response(answer(broker.queue.next_request(1, 0)), 0)
    broker.see(p0=Y)
    assert (broker.queued, broker.replicas.are_known) == ({}, False)
    broker.see(p0=LOST_DIRECTORY)
    assert (broker.queued, broker.replicas.are_known) == ({}, True)
    # Once the replica is removed, nobody waits for it.
    broker.see(p0=None)
    assert broker.notes.strays == ["future"]


def test_two_copies_of_which_none_is_recorded_are_refused() -> None:
    broker = Broker(X, Y, on_disk=(found(X, "t-0"), found(Y, "t-0")))
    with pytest.raises(ReplicaInSeveralDirectoriesError, match=r"/1/t-0, /2/t-0"):
        broker.see(p0=UNASSIGNED_DIRECTORY)


def test_a_replica_that_was_removed_and_added_unseen_is_reported_where_it_is() -> None:
    broker = Broker(X, Y)
    broker.see(p0=X, p1=Y)
    broker.see(p1=UNASSIGNED_DIRECTORY)
    assert (broker.queued, broker.replicas.directory_of((TOPIC, 1))) == ({1: Y}, Y)


def test_nothing_is_known_before_the_first_image_was_looked_at() -> None:
    broker = Broker(X)
    assert not broker.replicas.are_known
    broker.take(broker.image.topics)
    assert broker.replicas.are_known


def test_cordoned_directories_are_left_out_if_there_are_others() -> None:
    broker = Broker(X, Y)
    broker.directories.cordon(["/1"])
    broker.see(p0=UNASSIGNED_DIRECTORY, p1=UNASSIGNED_DIRECTORY)
    assert broker.queued == {0: Y, 1: Y}
    broker.directories.cordon(["*"])
    broker.see(p2=UNASSIGNED_DIRECTORY)
    assert broker.queued[2] == X


def test_replicas_that_go_away_are_forgotten() -> None:
    broker = Broker(X, Y)
    broker.see(p0=UNASSIGNED_DIRECTORY, p1=UNASSIGNED_DIRECTORY)
    broker.see(OTHER, p0=UNASSIGNED_DIRECTORY)
    # Reassigned to other brokers, and a topic that is deleted.
    broker.see(p0=None)
    assert broker.queued == {1: Y, (OTHER, 0): X}
    broker.take(broker.image.topics.delete(OTHER))
    assert broker.queued == {1: Y}
    # Their places count as free again.
    broker.see(p0=UNASSIGNED_DIRECTORY)
    assert broker.queued == {1: Y, 0: X}


def test_only_what_changed_is_looked_at() -> None:
    """So that a change costs what it touches, in a cluster of any size."""
    broker = Broker(X, Y)
    broker.see(p0=UNASSIGNED_DIRECTORY)
    broker.see(OTHER, p0=UNASSIGNED_DIRECTORY)
    broker.queue.drop((TOPIC, 0))
    broker.replicas._forget((TOPIC, 0))
    broker.see(p1=None)
    assert broker.queued == {(OTHER, 0): Y}, "partition 0 of the changed topic is the same as before"


def test_a_large_image_is_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_directories, "PARTITIONS_PER_LOOK", 2)
    broker = Broker(X, Y)
    partitions = {
        index: PartitionImage(replicas=(ME,), directories=(UNASSIGNED_DIRECTORY,), isr=(ME,))
        for index in range(2)
    }
    topics = {
        topic_id: TopicImage(name=uuids.to_text(topic_id), topic_id=topic_id, partitions=Map(partitions))
        for topic_id in (TOPIC, OTHER, bytes([0x43] * 16))
    }
    broker.replicas.apply(ClusterImage(topics=Map(topics)))
    assert (len(broker.queue), broker.replicas.are_known) == (0, False)
    queued = [0]
    while len(broker.queue) < 2:
        assert broker.replicas.look()
        queued.append(len(broker.queue))
    assert all(after - before <= 2 for before, after in pairwise(queued))
    assert not broker.replicas.are_known
    # A topic goes and another one changes before they were looked at.
    newer = Map(topics).delete(bytes([0x43] * 16))
    settled = PartitionImage(replicas=(ME,), directories=(X,), isr=(ME,))
    changed = TopicImage(name="b", topic_id=OTHER, partitions=Map({0: settled, 1: partitions[1]}))
    broker.replicas.apply(ClusterImage(topics=newer.set(OTHER, changed)))
    while broker.replicas.look():
        pass
    assert sorted(broker.queue._wanted) == [(TOPIC, 0), (TOPIC, 1), (OTHER, 1)]
    assert broker.replicas.directory_of((OTHER, 0)) == X
