"""Disks that lose the end of a log, or whole files, while the node is down, after a stop or a kill; on several nodes.

The rule: while one replica that is in sync, or eligible to lead, is whole, nothing is lost that was acknowledged or
shown. So a log loses something only while another such replica is whole, as the active controller has it, and the
ledger; machines that lose power meanwhile keep their records (`ledger`). After a loss of power nothing is taken: what a
crash may take anyway cannot be told from it.

If all nodes have stopped in turn, the newest change of an ISR may be known to none of them. But where two members have
to be in sync, the one that left last is eligible to lead.

A kill may come before any checkpoint has what was acknowledged. If its files go then, nothing shows it, and it counts
as a loss of power.

A node that was killed leaves the eligible leaders (KIP-966), though its disk may have everything. Then a partition may
be left without a leader, and at last an operator has any of its replicas lead (`rescue`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

import trio

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto.log import LOG_SUFFIX
from kafkaproto.messages import ElectLeadersRequest
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.sim.nodes.data.ledger import Ledger
from tests.sim.nodes.data.link import Link, LinkLostError, Place
from tests.sim.nodes.faults import Faults
from tests.sim.nodes.host import Host
from tests.sim.nodes.network import NetHost
from tests.sim.nodes.timeline import Timeline

KINDS = (
    "end of a file",
    "end of a file",
    "content of a file",
    "last file",
    "any file",
    "all files",
    "whole directory",
    "everything in the directory",
    "topic id",
    "content of the topic id",
)
RESCUES = 3
RESCUE_PAUSE_S = 2.0
RESPONSE_S = 4.0
UNCLEAN = 1
LOSING_SHARE = 0.7
"""The part of the logs of a node that is hit which are tried."""


class FileLosses:
    """The faults of files, as `Faults` draws them."""

    def __init__(
        self, faults: Faults, timeline: Timeline, rng: random.Random, ledger: Ledger, operator: NetHost
    ) -> None:
        """``operator`` is where an operator works."""
        self._operator = operator
        self._faults = faults
        self._timeline = timeline
        self._rng = rng
        self._ledger = ledger
        self._last_image: ClusterImage | None = None
        """That of the last node when all others had stopped in turn, until the first has started again."""
        self.acts: dict[str, Callable[[Host], bool]] = {
            "lost files": self._lose_at_start,
            "lost files after a stop of all": self._stop_all,
        }

    def _lose_at_start(self, host: Host) -> bool:
        """A node ends, and loses files before it starts again."""
        if not host.is_up or not host.is_broker:
            return False
        self._lose_before_start(host)
        if self._rng.random() < 0.5:
            host.stop()
        else:
            host.kill()
        self._faults.restart_later(host)
        return True

    def _stop_all(self, host: Host) -> bool:
        """All nodes stop, one after the other; some lose files; all start again."""
        hosts = self._ledger.machines
        if not all(each.is_up for each in hosts):
            return False
        order = self._rng.sample(hosts, len(hosts))
        self._stop_next(order, 0)
        return True

    def _stop_next(self, order: list[Host], number: int) -> None:
        if self._faults.is_healed:
            for each in order:
                self._faults.restart_later(each)
            return
        if number and not order[number - 1].has_ended.is_set():
            self._timeline.after(0.1, lambda: self._stop_next(order, number))
            return
        if number < len(order):
            quorum = order[number].quorum
            if quorum is not None:
                self._last_image = quorum.published.image
                order[number].stop()
            self._stop_next(order, number + 1)
            return
        for each in self._rng.sample(order, len(order)):
            self._lose_before_start(each)
            self._faults.restart_later(each)

    def _lose_before_start(self, host: Host) -> None:
        self._faults.before_start.setdefault(host.id, []).append(lambda: self._lose(host))

    def _lose(self, host: Host) -> None:
        if host.disk.boots != host.boots_at_start or not host.is_broker:
            return
        for place in sorted(self._ledger.known):
            if self._rng.random() < LOSING_SHARE and self._is_another_whole(host, place):
                kind = self._rng.choice(KINDS)
                with self._ledger.losing_files(host, place):
                    self._take(host, place, kind)
                self._faults.counts[f"lost: {kind}"] += 1

    def _is_another_whole(self, host: Host, place: Place) -> bool:
        image = self._image()
        topic = None if image is None else image.topic_by_name(place[0])
        partition = None if topic is None else topic.partitions.get(place[1])
        if image is None or partition is None or not image.elr_enabled:
            return False
        if image is self._last_image and self._ledger.known[place].min_isr < 2:
            return False
        counted = {*partition.isr, *partition.elr} - {host.id}
        return any(
            each.id in counted and self._ledger.is_whole(each, place) for each in self._ledger.everybody
        )

    def _image(self) -> ClusterImage | None:
        """What the active controller knows; None if there is none."""
        for each in self._ledger.machines:
            quorum = each.quorum
            if quorum is not None:
                self._last_image = None
                if quorum.published.active_epoch is not None:
                    return quorum.published.image
        return self._last_image

    def _take(self, host: Host, place: Place, kind: str) -> None:
        disk, directory = host.disk, self._ledger.logs.directory_of(host, place)
        names = disk._names
        segments = [
            f"{directory}/{name}"
            for name in sorted(names.children.get(directory, ()))
            if name.endswith(LOG_SUFFIX)
        ]
        if kind in ("topic id", "content of the topic id"):
            paths = [f"{directory}/{PARTITION_METADATA_NAME}"]
        elif kind == "all files":
            paths = segments
        elif kind in ("whole directory", "everything in the directory"):
            paths = [f"{directory}/{name}" for name in sorted(names.children.get(directory, ()))]
            if kind == "whole directory" and directory in names:
                paths.append(directory)
        elif kind == "last file":
            paths = segments[-1:]
        else:
            paths = [self._rng.choice(segments)] if segments else []
        for path in paths:
            if path not in names:
                continue
            if kind in ("end of a file", "content of a file", "content of the topic id"):
                size = len(names[path].data)
                kept = self._rng.randrange(size + 1) if kind == "end of a file" else 0
                disk.take_end(path, kept)
            else:
                disk.take_away(path)

    async def rescue(self) -> None:
        """Have partitions led that no replica may lead: an unclean election. What it loses is the operator's choice."""
        for _ in range(RESCUES):
            await trio.sleep(RESCUE_PAUSE_S)
            image = self._image()
            if image is None:
                continue
            for place in sorted(self._ledger.known):
                topic = image.topic_by_name(place[0])
                if topic is not None and topic.partitions[place[1]].leader == NO_NODE:
                    await self._elect(place, topic.partitions[place[1]])

    async def _elect(self, place: Place, partition: PartitionImage) -> None:
        candidates = [
            each
            for each in self._ledger.everybody
            if each.id in partition.replicas and partition.directory_of(each.id) != LOST_DIRECTORY
        ]
        if not all(self._ledger.is_whole(each, place) for each in candidates):
            self._ledger.known[place].is_excused = True
            self._ledger.counts["excused by an operator"] += 1
        with suppress(LinkLostError):
            link = await Link.connect(self._operator, self._rng.choice(self._ledger.everybody))
            topic = ElectLeadersRequest.TopicPartitions(topic=place[0], partitions=[place[1]])
            request = ElectLeadersRequest(election_type=UNCLEAN, topic_partitions=[topic], timeout_ms=2000)
            try:
                await link.ask(request, RESPONSE_S)
                self._ledger.counts["unclean elections"] += 1
            finally:
                link.close()
