"""What producers were promised and consumers were shown, held against the logs of all replicas.

Topics are not synced, as with Kafka: that a record was acknowledged means that ``min.insync.replicas`` have it, if only
in their page caches. So the promise holds as long as not all of them lose power at once. The faults are drawn so that
it does: a machine loses what it had not written to its disk only while no other one misses records for that reason;
until the first one has fetched them again, other machines lose power without losing records.

One case remains in which Kafka loses acknowledged records, too: all others left the ISR, the last member loses power,
and is elected again, without the records. (Eligible leader replicas, KIP-966, are what Kafka has against it.) Such a
partition is *excused*: nothing is asked any more of what it held. It has to have been the last in the ISR and among the
eligible leaders. That a replica leads *without an election* after it
lost records, in the epoch that it had before, is no excuse.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from kafkaproto_server.core.log_state.producer_state_entry import BATCHES_TO_RETAIN
from kafkaproto_server.core.replicas.partition import Partition, Role
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.data.elections import Election, Elections
from tests.sim.nodes.data.epochs import wrong_epochs
from tests.sim.nodes.data.link import Place
from tests.sim.nodes.data.logs import PREFIX, Batch, Logs, flush
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant

KEPT_SHARE = 0.4
"""The part of the power losses at which the kernel had written everything of topics."""

NO_LEADER_EPOCH = -1

Identity = tuple[int, int]
"""Leader epoch and checksum of a batch."""


@dataclass(slots=True)
class Known:
    """What is known of one partition."""

    min_isr: int
    is_compacted: bool = False
    """Whether batches may lose records, and be removed. Then it only counts how far a log goes."""
    shown_end: int = 0
    """Of a compacted log: the end of what was below a high watermark."""
    acknowledged: dict[int, int] = field(default_factory=dict)
    """Checksum of each batch that was acknowledged with acks=all, by its base offset."""
    shown: dict[int, tuple[int, Identity]] = field(default_factory=dict)
    """Next offset and identity of each batch that was below a high watermark, by its base offset."""
    leader_epoch: int = -1
    """The newest that any leader had."""
    start: int = 0
    """The highest log start of all replicas; records below it may be deleted anywhere."""
    is_excused: bool = False
    high_watermarks: dict[tuple[str, int, int, int], int] = field(default_factory=dict)
    """What consumers were told, by consumer, host, its life, and leader epoch."""


class Ledger:
    """Takes what clients hear, and looks at the replicas."""

    def __init__(
        self,
        hosts: Sequence[Host],
        rng: random.Random,
        min_isr: dict[Place, int],
        compacted: Collection[Place] = (),
    ) -> None:
        self._hosts = [host for host in hosts if host.is_broker]
        self.machines = list(hosts)
        """All hosts, also those that are no brokers."""
        self._rng = rng
        self.logs = Logs()
        self.known = {place: Known(each, place in compacted) for place, each in min_isr.items()}
        self._losers: dict[int, frozenset[bytes]] = {}
        """The incarnations of each host up to the one that lost power last."""
        self._missing: dict[tuple[int, Place], tuple[int, int]] = {}
        """Where a host's log had ended before it lost power and records, and the newest leader epoch of that time;
        until it has everything again. The leader of that epoch may still count what the host fetched before."""
        self._damaged: dict[tuple[int, Place], bool] = {}
        """Those in `_missing` that lost files while their nodes were down, and what is left proves it: they are not
        served before they have everything again, and nothing excuses it. Whether a loss of power leaves the proof."""
        self._hurt: set[tuple[int, Place]] = set()
        """Those in `_missing` that lost files, and were not opened since. Where the log ends does not show what is gone
        before it, and nobody asks for records that were deleted elsewhere meanwhile; the replica may refuse to open."""
        self._ends: dict[int, dict[Place, int]] = {}
        self._had: dict[int, dict[Place, list[Batch]]] = {}
        """The batches of each host's logs while it loses its power."""
        self._lost: defaultdict[tuple[int, Place], set[tuple[int, int]]] = defaultdict(set)
        """The batches that a host lost with the power: base offset and crc. An acknowledgement that was sent before may
        arrive after the host is no longer in `_missing`, which counts only what clients have heard."""
        self._checked: dict[tuple[int, int, Place], tuple[int, Batch]] = {}
        """How many batches of a replica were found to be right, and the last of them, by host, life and partition."""
        self.counts: Counter[str] = Counter()
        self._elections = Elections(hosts)
        for host in self._hosts:
            host.losing_power, host.lost_power = self._losing_power, self._lost_power
            host.losing_directory, host.lost_directory = self._note_ends, self._lost_power

    # -- power ---------------------------------------------------------------------------------------------------

    def _note_committed(self, host: Host) -> None:
        """What a process has acknowledged since the last look counts, too, though it has ended."""
        data = None if host.node is None else host.node._broker
        for hosted in () if data is None else data.manager.replicas:
            place = (hosted.partition.topic, hosted.partition.index)
            if place in self.known and not self.known[place].is_excused and hosted.log is not None:
                self._look_at_committed(host, place, hosted)

    def _losing_power(self, host: Host) -> None:
        # It was elected while it had everything.
        self.note_elections()
        self._note_committed(host)
        if any(host_id != host.id for host_id, _ in self._missing) or self._rng.random() < KEPT_SHARE:
            flush(host)
        self._note_ends(host)

    def _note_ends(self, host: Host) -> None:
        self.note_elections()
        self._ends[host.id] = {place: self._end(host, place) for place in self.known}
        self._had[host.id] = {place: self.logs.of(host, place) for place in self.known}

    def _lost_power(self, host: Host) -> None:
        self._losers[host.id] = frozenset(host.ids_drawn)
        for place in self.known:
            if self._damaged.get((host.id, place)) is False:
                del self._damaged[host.id, place]
        had = self._had.pop(host.id)
        for place, before in self._ends.pop(host.id).items():
            # Recovery keeps nothing behind a gap: the content of an older segment may be lost, and a newer one's there.
            is_compacted = self.known[place].is_compacted
            after = self._end(host, place) if is_compacted else self.logs.end_without_gap(host, place)
            if after < before:
                key = (host.id, place)
                earlier, _ = self._missing.get(key, (before, 0))
                self._missing[key] = max(before, earlier), self.known[place].leader_epoch
                self._lost[key].update(
                    (each.base_offset, each.crc) for each in had[place] if each.next_offset > after
                )
                self.counts["lost page caches"] += 1

    @property
    def everybody(self) -> list[Host]:
        """The hosts of brokers."""
        return self._hosts

    def is_whole(self, host: Host, place: Place) -> bool:
        """Whether a replica has all that was acknowledged or shown, and has lost nothing."""
        known = self.known[place]
        if known.is_excused or self._is_missing(host, place):
            return False
        return self._end(host, place) >= known.shown_end if known.is_compacted else self._has_all(host, place)

    @contextmanager
    def losing_files(self, host: Host, place: Place) -> Iterator[None]:
        """While files of a replica go whose node is down."""
        self.note_elections()
        key, before, had = (host.id, place), self._end(host, place), self.logs.of(host, place)
        yield
        left = {(each.base_offset, each.crc) for each in self.logs.of(host, place)}
        gone = {(each.base_offset, each.crc) for each in had} - left
        if gone:
            self._losers[host.id] = frozenset(host.ids_drawn)
            earlier, _ = self._missing.get(key, (before, 0))
            self._missing[key] = max(before, earlier), self.known[place].leader_epoch
            self._lost[key].update(gone)
            self._hurt.add(key)
            recovery_point, high_watermark = self.logs.checkpoints_of(host, place)
            if self._end(host, place) < max(recovery_point, high_watermark):
                self._damaged[key] = self._end(host, place) < recovery_point
            self.counts["lost files"] += 1

    def is_any_other_missing(self, host: Host) -> bool:
        """Whether another host has lost records and not fetched them again."""
        others = [each for each in self._hosts if each is not host]
        return any(self._is_missing(other, place) for other in others for place in self.known)

    def _end(self, host: Host, place: Place) -> int:
        return self.logs.range_of(host, place)[1]

    def ends_of(self, place: Place) -> set[int]:
        """Where the logs of the open replicas of a partition end."""
        return {self._end(host, place) for host, each, _ in self.replicas() if each == place}

    def start_of(self, place: Place) -> int:
        """The offset before which records may be deleted."""
        self.note_elections()
        known = self.known[place]
        if known.is_excused:
            # A log that lost its end may start earlier than it once did.
            for _, each, hosted in self.replicas():
                if each == place and hosted.partition.role is Role.LEADER:
                    return _start_of(hosted)
        return known.start

    def _is_missing(self, host: Host, place: Place) -> bool:
        """Whether a replica has lost records and not fetched them again."""
        key = (host.id, place)
        if key not in self._missing:
            return False
        if key in self._hurt and not self.is_open(host, place):
            return True
        self._hurt.discard(key)
        known = self.known[place]
        before, leader_epoch = self._missing[key]
        if known.leader_epoch == leader_epoch and self._end(host, place) < before:
            return True
        has_all = (
            self._end(host, place) >= known.shown_end if known.is_compacted else self._has_all(host, place)
        )
        if has_all:
            self._has_all_again(host, place)
        return not has_all

    def _has_all(self, host: Host, place: Place) -> bool:
        known = self.known[place]
        found = {each.base_offset: each for each in self.logs.of(host, place)}
        return (
            # What it does not have may have been deleted, but then its log begins behind that.
            self._end(host, place) >= known.start
            and all(
                found[base].crc == crc if base in found else base < known.start
                for base, crc in known.acknowledged.items()
            )
            and all(
                (found[base].epoch, found[base].crc) == identity if base in found else base < known.start
                for base, (_, identity) in known.shown.items()
            )
        )

    def _has_all_again(self, host: Host, place: Place) -> None:
        del self._missing[host.id, place]
        self._damaged.pop((host.id, place), None)

    # -- what clients hear ---------------------------------------------------------------------------------------

    def acknowledged(self, place: Place, base_offset: int, crc: int) -> None:
        """A producer's batch was acknowledged with acks=all."""
        self.note_elections()
        known = self.known[place]
        self.counts["acknowledged"] += 1
        if known.is_excused or base_offset < known.start:
            return
        holders = [
            host.id
            for host in self._hosts
            if self._is_missing(host, place)
            or (base_offset, crc) in self._lost[host.id, place]
            or any(each.base_offset == base_offset and each.crc == crc for each in self.logs.of(host, place))
        ]
        if len(holders) < known.min_isr:
            self._violated(
                NodeInvariant.ACKNOWLEDGED_IS_REPLICATED,
                place,
                f"{base_offset} is on the logs of {holders} only",
            )
        known.acknowledged[base_offset] = crc
        shown = known.shown.get(base_offset)
        if shown is not None and shown[1][1] != crc:
            self._violated(NodeInvariant.COMMITTED_STAYS, place, f"at {base_offset} another batch was shown")

    def consumed(self, place: Place, batch: Batch) -> None:
        """A consumer was sent a batch."""
        self.counts["consumed"] += 1
        self.note_elections()
        if not self.known[place].is_excused:
            self._show(place, batch, "a consumer")

    def _show(self, place: Place, batch: Batch, who: str) -> None:
        known, identity = self.known[place], (batch.epoch, batch.crc)
        found = known.shown.setdefault(batch.base_offset, (batch.next_offset, identity))
        crc = known.acknowledged.get(batch.base_offset, batch.crc)
        if found != (batch.next_offset, identity) or crc != batch.crc:
            self._violated(
                NodeInvariant.COMMITTED_STAYS,
                place,
                f"{who} has {batch}; known is {found}, acknowledged {crc}",
            )

    def told(
        self, place: Place, consumer: str, host: Host, life: int, epoch: int, high_watermark: int
    ) -> None:
        """A consumer was told a high watermark."""
        known, key = self.known[place], (consumer, host.id, life, epoch)
        before = known.high_watermarks.get(key, 0)
        known.high_watermarks[key] = max(before, high_watermark)
        if high_watermark < before:
            self.refused(place, f"node {host.id} told of the high watermark {high_watermark} after {before}")

    def refused(
        self, place: Place, what: str, invariant: NodeInvariant = NodeInvariant.COMMITTED_STAYS
    ) -> None:
        """A client was told what cannot be, unless the partition is excused."""
        self._violated(invariant, place, what)

    def holds(self, place: Place, producer: tuple[int, int], base_sequence: int) -> bool:
        """Whether any log has a producer's batch, or had it before records were deleted."""
        return self.known[place].start > 0 or self.shows(place, producer, base_sequence)

    def shows(self, place: Place, producer: tuple[int, int], base_sequence: int) -> bool:
        """Whether any log has a producer's batch."""
        return any(
            each.producer == producer and each.base_sequence == base_sequence
            for host in self._hosts
            for each in self.logs.of(host, place)
        )

    def must_know(
        self, place: Place, host: Host, life: int, producer: tuple[int, int], base_sequence: int
    ) -> bool:
        """Whether a leader has appended a producer's batch itself, in this epoch and this life, and so recently that it
        has to recognize it."""
        if host.life != life or self.known[place].is_excused:
            return False
        leaders = [
            hosted
            for each, other, hosted in self.replicas()
            if each is host and other == place and hosted.partition.role is Role.LEADER
        ]
        newest = [each for each in self.logs.of(host, place) if each.producer == producer][
            -BATCHES_TO_RETAIN:
        ]
        return any(
            each.base_sequence == base_sequence and each.epoch == hosted.partition.leader_epoch
            for hosted in leaders
            for each in newest
        )

    @property
    def have_reads_failed(self) -> bool:
        """Whether records may have been unreadable for a moment."""
        return any(host.disk.failures["read"] for host in self._hosts)

    # -- what replicas are ---------------------------------------------------------------------------------------

    def replicas(self) -> list[tuple[Host, Place, Hosted]]:
        """Of all nodes that run: the open replicas of partitions with records."""
        found = []
        for host in self._hosts:
            data = None if host.quorum is None or host.node is None else host.node._broker
            if data is None:
                continue
            for hosted in data.manager.replicas:
                partition = hosted.partition
                place = (partition.topic, partition.index)
                if place in self.known and hosted.log is not None:
                    found.append((host, place, hosted))
        return found

    def is_open(self, host: Host, place: Place) -> bool:
        """Whether a host runs, and the log of its replica can be used."""
        return any(each is host and found == place for each, found, _ in self.replicas())

    def note_elections(self) -> None:
        """Take over what has changed since the last look."""
        self._note_elections(self.replicas())

    def _note_elections(self, replicas: Sequence[tuple[Host, Place, Hosted]]) -> None:
        for host, place, hosted in replicas:
            # Whether it lacks anything shows in its records from now on, also once it is closed again.
            self._hurt.discard((host.id, place))
            known, partition = self.known[place], hosted.partition
            known.start = max(known.start, _start_of(hosted))
            if partition.role is Role.LEADER and partition.leader_epoch > known.leader_epoch:
                # Others may have led for less time than there is between two looks.
                for each in self._elections.after(place, known.leader_epoch):
                    self._note_election(place, each)
                if known.leader_epoch < partition.leader_epoch:
                    # The records of the election are in a snapshot by now.
                    self._note_election(place, Election(host.id, partition.leader_epoch, b"", frozenset()))

    def _note_election(self, place: Place, election: Election) -> None:
        known = self.known[place]
        known.leader_epoch = election.leader_epoch
        host = next((each for each in self._hosts if each.id == election.leader), None)
        if host is None:
            return
        self.counts["leaders"] += 1
        if known.is_excused or not self._is_missing(host, place) or (host.id, place) in self._damaged:
            return
        if not election.others:
            known.is_excused = True
            self.counts["excused"] += 1
        elif election.incarnation_id and election.incarnation_id not in self._losers[host.id]:
            # Until it registers again, the controllers cannot know; then it leaves the ISR, and the others stay.
            what = (
                f"node {host.id}, which lost records, was elected in epoch {election.leader_epoch} before"
                f" {sorted(election.others)}"
            )
            # A later election excuses nothing of this one.
            raise _violation(NodeInvariant.ACKNOWLEDGED_IS_KEPT, place, what)

    def look(self) -> None:
        """Raise ViolationError if replicas contradict each other, or what was said."""
        replicas = self.replicas()
        self._note_elections(replicas)
        for host, place, hosted in replicas:
            if self.known[place].is_excused:
                continue
            self._look_at_committed(host, place, hosted)
            if hosted.partition.role is Role.LEADER:
                if (host.id, place) in self._damaged and self._is_missing(host, place):
                    what = f"node {host.id} leads, and its disk has lost records"
                    raise _violation(NodeInvariant.ACKNOWLEDGED_IS_KEPT, place, what)
                self._check_isr(host, place, hosted)

    def _look_at_committed(self, host: Host, place: Place, hosted: Hosted) -> None:
        partition = hosted.partition
        if partition.role is Role.OFFLINE:
            return
        if self.known[place].is_compacted:
            self.known[place].shown_end = max(self.known[place].shown_end, partition.high_watermark)
        else:
            self._check_committed(host, place, _start_of(hosted), partition.high_watermark)

    def _check_committed(self, host: Host, place: Place, log_start: int, high_watermark: int) -> None:
        batches, key = self.logs.of(host, place), (host.id, host.life, place)
        begin, _ = self.logs.range_of(host, place)
        if begin > log_start:
            what = f"node {host.id} has nothing from its log's start {log_start} to {begin}"
            self._violated(NodeInvariant.COMMITTED_STAYS, place, what)
        count, last = self._checked.get(key, (0, None))
        if last is None or len(batches) < count or batches[count - 1] != last:
            count = 0
        end = batches[count - 1].next_offset if count else begin
        for batch in batches[count:]:
            if batch.next_offset > high_watermark:
                break
            if batch.base_offset != end:
                self._violated(
                    NodeInvariant.COMMITTED_STAYS, place, f"node {host.id} has nothing from {end} to {batch}"
                )
            # What lies below its log's start is nobody's any more, though its segment is there. A follower may have cut
            # its log no deeper than to the leader's start.
            if batch.next_offset > log_start:
                self._show(place, batch, f"node {host.id}")
            end = batch.next_offset
            count += 1
            self._checked[key] = (count, batch)

    def _check_isr(self, host: Host, place: Place, hosted: Hosted) -> None:
        partition, known = hosted.partition, self.known[place]
        committed = partition.high_watermark
        if partition.leader_epoch == known.leader_epoch and known.acknowledged:
            # A new leader learns only later what was committed before.
            committed = max(committed, max(known.acknowledged) + 1)
        for member in self._hosts:
            if member.id in partition.isr and (
                not self._is_missing(member, place) or self._has_joined(host, place, partition, member)
            ):
                end = self._end(member, place)
                if end < committed:
                    what = f"node {host.id} leads with {committed} committed"
                    self._violated(
                        NodeInvariant.ISR_HAS_THE_COMMITTED, place, f"{what}, node {member.id} ends at {end}"
                    )

    def broker(self, broker_id: int) -> Host | None:
        """The host of a broker; None for a stranger."""
        return next((each for each in self._hosts if each.id == broker_id), None)

    def asked_for(self, host: Host, place: Place, partition: Partition, isr: Sequence[int]) -> None:
        """A leader asks the controllers for an ISR. Raise ViolationError if somebody would join without all that is
        committed.

        What a follower lost after its last fetch from this leader, the leader cannot know.
        """
        known = self.known[place]
        if known.is_excused or known.is_compacted or partition.leader_epoch < known.leader_epoch:
            return
        committed = max(partition.high_watermark, max(known.acknowledged, default=-1) + 1)
        for member in self._hosts:
            if member.id not in isr or member.id in partition.isr:
                continue
            _, lost_in = self._missing.get((member.id, place), (0, NO_LEADER_EPOCH))
            end = self._end(member, place)
            # Others may lead by now; that is looked up last, as it takes long.
            if end < committed and lost_in < partition.leader_epoch and not self.is_excused(place):
                if partition.leader_epoch < known.leader_epoch:
                    return
                what = (
                    f"node {host.id} asks for node {member.id}, which ends at {end}; {committed} is committed"
                )
                raise _violation(NodeInvariant.ISR_HAS_THE_COMMITTED, place, what)

    def _has_joined(self, leader: Host, place: Place, partition: Partition, member: Host) -> bool:
        """Whether a host that had lost records is in an ISR since it registered again: it took it out (KIP-903), unless
        nobody else was in there. A leader may have the image with the registration a moment before its partition has
        the ISR from there."""
        assert leader.quorum is not None, "it leads"
        image = leader.quorum.published.image
        registered, topic = image.brokers.get(member.id), image.topic_by_name(place[0])
        return (
            len(partition.isr) > 1
            and registered is not None
            and registered.incarnation_id not in self._losers[member.id]
            and topic is not None
            and partition.partition_epoch >= topic.partitions[place[1]].partition_epoch
        )

    # -- at last -------------------------------------------------------------------------------------------------

    def unsettled(self) -> list[str]:
        """What keeps the partitions from rest."""
        found: dict[Place, list[str]] = {place: [] for place in self.known}
        open_replicas = self.replicas()
        for place, said in found.items():
            own = [(host, hosted) for host, each, hosted in open_replicas if each == place]
            leaders = [(host, hosted) for host, hosted in own if hosted.partition.role is Role.LEADER]
            # Not what the files show: if a compacted log is cut, the newest records below the cut may be gone already.
            ends = {hosted.partition.log_end_offset for _, hosted in own}
            marks = {hosted.partition.high_watermark for _, hosted in own}
            if len(leaders) != 1:
                said.append(f"{len(leaders)} lead")
            for host, hosted in leaders:
                missing = set(hosted.partition.replicas) - set(hosted.partition.isr)
                if missing or len(own) != len(hosted.partition.replicas):
                    said.append(
                        f"node {host.id} leads, {len(own)} are open, {sorted(missing)} not in the ISR;"
                        f" it asks for {hosted.partition.isr_change}"
                    )
            starts = {host.id: hosted.partition.log_start_offset for host, hosted in own}
            if any(
                start < hosted.partition.log_start_offset
                for _, hosted in leaders
                for start in starts.values()
            ):
                said.append(f"logs start at {starts}")
            if len(ends) > 1 or marks != ends:
                said.append(f"logs end at {sorted(ends)}, high watermarks {sorted(marks)}")
        return [f"{place}: {', '.join(said)}" for place, said in found.items() if said]

    def check_at_last(self) -> None:
        """Raise ViolationError for what is lost, doubled or out of order in the logs of a cluster at rest."""
        for host, place, hosted in self.replicas():
            known, batches = self.known[place], self.logs.of(host, place)
            if known.is_excused or known.is_compacted:
                continue
            found = {each.base_offset: each for each in batches}
            start = _start_of(hosted)
            for base, crc in known.acknowledged.items():
                if base >= start and (base not in found or found[base].crc != crc):
                    what = f"node {host.id} has not the batch {base} that was acknowledged, but {found.get(base)}"
                    self._violated(NodeInvariant.ACKNOWLEDGED_IS_KEPT, place, what)
            for base, (_, identity) in known.shown.items():
                if base < start:
                    continue
                if base not in found or (found[base].epoch, found[base].crc) != identity:
                    what = f"node {host.id} has not the batch {base} that was shown, but {found.get(base)}"
                    self._violated(NodeInvariant.COMMITTED_STAYS, place, what)
            for entries in (
                hosted.partition.epochs.entries,
                hosted.log.log.epoch_starts if hosted.log else (),
            ):
                wrong = wrong_epochs(entries, batches, start)
                if wrong is not None:
                    what = f"node {host.id} believes in the epochs {wrong[0]}, its batches have {wrong[1]}"
                    self._violated(NodeInvariant.EPOCHS_ARE_TRUE, place, what)
            if place[0].startswith(PREFIX):
                # Coordinators number nothing. A leader whose log was emptied knows no producer from before its start,
                # and takes any sequence of one; another replica may still have the batches below the start.
                kept = [each for each in batches if each.next_offset > start]
                self._check_sequences(host, place, kept, is_whole=not start)

    def _check_sequences(self, host: Host, place: Place, batches: list[Batch], *, is_whole: bool) -> None:
        following: dict[tuple[int, int], int] = {}
        epochs: dict[int, int] = {}
        for batch in batches:
            if batch.producer[0] >= 0 and not batch.is_control:
                producer_id, epoch = batch.producer
                if is_whole and epoch < epochs.get(producer_id, 0):
                    what = f"node {host.id} has {batch} behind epoch {epochs[producer_id]}"
                    self._violated(NodeInvariant.ONCE_AND_IN_ORDER, place, what)
                epochs[producer_id] = epoch
                # The first batch of a producer may be deleted.
                expected = following.get(batch.producer, 0 if is_whole else batch.base_sequence)
                if batch.base_sequence != expected:
                    what = f"node {host.id} has {batch}, and sequence {expected} is due"
                    self._violated(NodeInvariant.ONCE_AND_IN_ORDER, place, what)
                following[batch.producer] = batch.base_sequence + batch.size

    def is_excused(self, place: Place) -> bool:
        """Whether nothing is asked any more of a partition. Asked before somebody is blamed: it reads metadata logs."""
        self.note_elections()
        known = self.known[place]
        # Of a leader that led between two looks nothing is seen until another one leads.
        for each in self._elections.after(place, known.leader_epoch):
            self._note_election(place, each)
        return known.is_excused

    def _violated(self, invariant: NodeInvariant, place: Place, what: str) -> None:
        """Raise ViolationError, unless the partition is excused."""
        if not self.is_excused(place):
            raise _violation(invariant, place, what)


def _violation(invariant: NodeInvariant, place: Place, what: str) -> ViolationError:
    return ViolationError(invariant, f"{place[0]}-{place[1]}: {what}")


def _start_of(hosted: Hosted) -> int:
    """Where a replica's log starts. A thread may have deleted more than the event loop knows of."""
    assert hosted.log is not None, "its log is open"
    return max(hosted.partition.log_start_offset, hosted.log.log.log_start_offset)
