"""What must hold of log directories (KIP-858): by the images that nodes show, by the replicas that brokers have open,
and by what lies on their disks."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import trio

from kafkaproto.directory_files import PARTITION_METADATA_NAME
from kafkaproto_server.base.types import NO_NODE
from kafkaproto_server.metadata.image.entries import LOST_DIRECTORY, BrokerRegistration, PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.storage.directories.partition_directories import (
    FUTURE_SUFFIX,
    directory_name,
    parse_directory_name,
)
from kafkaproto_server.shell.storage.errors import StorageError
from kafkaproto_server.shell.storage.log.topic_log import read_topic_id
from tests.sim.checkers.invariants import ViolationError
from tests.sim.nodes.host import Host
from tests.sim.nodes.invariants import NodeInvariant

UNDER_WAY_S = 5.0
"""What was handed to a directory's thread before the directory failed is done by then."""

_Replica = tuple[bytes, int, int]
"""Topic id, partition index and broker."""


class DirectoryChecker:
    """Looks at directories. `published` takes each newer image, `look` is called every now and then."""

    def __init__(self, hosts: Sequence[Host], counts: Counter[str]) -> None:
        self._hosts = [host for host in hosts if host.is_broker]
        self._counts = counts
        self._image: ClusterImage | None = None
        self._recorded: dict[_Replica, set[bytes]] = {}
        """All directories that the metadata has had for a replica."""
        self._placed: dict[int, tuple[int, list[tuple[bytes, int]]]] = {}
        """By broker: the epoch of its registration, and what was placed on it then; empty once it was unfenced."""
        self._lies: dict[tuple[int, int, bytes, int], bytes] = {}
        """The directory of each open replica, by host, life, topic id and index."""
        self._offline_since: dict[tuple[int, int, str], float] = {}
        """By host, life and path."""
        self._counted: set[tuple[int, int, str]] = set()
        """The directories that were offline, likewise."""
        self._violation: ViolationError | None = None
        for host in self._hosts:
            host.disk.changing = partial(self._changing, host)
            host.disk.renaming = partial(self._renaming, host)

    # -- images ----------------------------------------------------------------------------------------------------

    def published(self, image: ClusterImage) -> None:
        """A node shows an image. Raises ViolationError."""
        before = self._image
        if before is not None and image.offset <= before.offset:
            return
        self._image = image
        for topic_id, index, partition in _changed(before, image):
            for broker_id, directory_id in zip(partition.replicas, partition.directories, strict=True):
                self._recorded.setdefault((topic_id, index, broker_id), set()).add(directory_id)
        if before is not None and image.brokers is before.brokers:
            return
        for host in self._hosts:
            known = None if before is None else before.brokers.get(host.id)
            broker = image.brokers.get(host.id)
            if broker is None:
                continue
            if known is None or known.epoch != broker.epoch:
                self._placed[host.id] = broker.epoch, _placed_on(image, host.id)
            elif lost := set(known.directories) - set(broker.directories):
                self._check_taken_out(image, broker, lost)
            if not broker.fenced:
                self._check_unfenced(host, image, broker)

    def _check_taken_out(self, image: ClusterImage, broker: BrokerRegistration, lost: set[bytes]) -> None:
        """The controllers have learned that directories of a broker have failed."""
        for topic_id, index in _placed_on(image, broker.broker_id):
            partition = image.topics[topic_id].partitions[index]
            is_lost = partition.directory_of(broker.broker_id) in lost
            # Without eligible leader replicas, the last member of an ISR stays there.
            is_member = partition.leader != NO_NODE and broker.broker_id in partition.isr
            if is_lost and is_member:
                what = f"{image.topics[topic_id].name}-{index} on {broker.broker_id} at {image.offset}: {partition}"
                raise ViolationError(NodeInvariant.OFFLINE_LEAVES_ISRS, what)

    def _check_unfenced(self, host: Host, image: ClusterImage, broker: BrokerRegistration) -> None:
        epoch, placed = self._placed[host.id]
        self._placed[host.id] = epoch, []
        directories = host.log_directories
        # What a former process was promised cannot be seen at this one.
        if directories is None or not directories.are_several or not host.has_drawn(broker.incarnation_id):
            return
        for topic_id, index in placed:
            topic = image.topics.get(topic_id)
            partition = None if topic is None else topic.partitions.get(index)
            if topic is None or partition is None or host.id not in partition.replicas:
                continue
            recorded, places = partition.directory_of(host.id), _places(host, topic_id, index)
            # A log may be of no use in a directory that works.
            is_known = recorded in places if places else not broker.has_online_directory(recorded)
            if not is_known and recorded != LOST_DIRECTORY:
                where = f"{topic.name}-{index} on {host.id} at {image.offset}"
                what = f"{where}: {recorded.hex()} is recorded, not {places}"
                raise ViolationError(NodeInvariant.PLACED_BEFORE_UNFENCED, what)

    # -- replicas and disks ----------------------------------------------------------------------------------------

    def look(self) -> None:
        """Raise ViolationError if brokers do with their directories what they must not."""
        if self._violation is not None:
            raise self._violation
        for host in self._hosts:
            self._count(host)
            for hosted in _open_replicas(host):
                self._look_at(host, hosted)

    def _count(self, host: Host) -> None:
        directories = host.log_directories
        for each in directories.all if directories is not None else ():
            if each.problem is not None and (key := (host.id, host.life, each.path)) not in self._counted:
                self._counted.add(key)
                self._counts["directories offline"] += 1

    def _look_at(self, host: Host, hosted: Hosted) -> None:
        partition, now = hosted.partition, hosted.directory_id
        key = (host.id, host.life, partition.topic_id, partition.index)
        before = self._lies.get(key)
        self._lies[key] = now
        if before == now:
            return
        if before is None:
            self._check_begun(host, hosted, f"{partition.topic}-{partition.index} on {host.id}")
        else:
            self._counts["replicas moved"] += 1

    def _check_begun(self, host: Host, hosted: Hosted, where: str) -> None:
        """A replica was opened in this life of the node."""
        directories, partition = host.log_directories, hosted.partition
        assert directories is not None, "it has a replica"
        name = directory_name(partition.topic, partition.index)
        for each in directories.all:
            path = f"{each.path}/{name}"
            if each.problem is None or each.directory_id == hosted.directory_id:
                continue
            if (
                f"{path}/{PARTITION_METADATA_NAME}" in host.disk._names
                and _topic_id(host, path) == partition.topic_id
            ):
                what = (
                    f"{where} is open in {directories.path_of(hosted.directory_id)}, and lies in {each.path}"
                )
                raise ViolationError(NodeInvariant.NOT_BEGUN_ANEW, what)

    def _changing(self, host: Host, path: str) -> None:
        """Something is about to be changed on a disk."""
        directories, root = host.log_directories, host.disk.root_of(path)
        if directories is None or root is None or self._violation is not None:
            return
        if all(each.problem is None for each in directories.all if each.path == root):
            return
        now = trio.current_time()
        since = self._offline_since.setdefault((host.id, host.life, root), now)
        if now - since > UNDER_WAY_S:
            what = f"node {host.id} changes {path}, {now - since:.1f} s after its directory failed"
            self._violation = ViolationError(NodeInvariant.FAILED_IS_LEFT_ALONE, what)

    def _renaming(self, host: Host, source: str, target: str) -> None:
        """A directory or file is about to get another name: a copy takes the place of its replica, if that is there.

        A directory that does not say whose log it is, is no replica: a power loss left it of a log that was never
        synced."""
        directories, parsed = host.log_directories, parse_directory_name(posixpath.basename(source))
        if (
            directories is None
            or parsed is None
            or parsed.suffix != FUTURE_SUFFIX
            or self._violation is not None
        ):
            return
        name, root = posixpath.basename(target), posixpath.dirname(target)
        topic_id = _topic_id(host, source)
        places = [f"{each}/{name}" for each in host.directories if each != root]
        if topic_id is None or not any(_topic_id(host, each) == topic_id for each in places):
            return
        to_id = next(each.directory_id for each in directories.all if each.path == root)
        if to_id not in self._recorded.get((topic_id, parsed.partition, host.id), ()):
            what = f"{name} on {host.id} moves to {root}, of which the metadata know nothing"
            self._violation = ViolationError(NodeInvariant.MOVED_ONCE_RECORDED, what)

    # -- at last ---------------------------------------------------------------------------------------------------

    def unsettled(self) -> list[str]:
        """What is not as it has to be in a healed cluster at rest."""
        found: list[str] = []
        image = self._image
        assert image is not None, "the cluster is at rest"
        for host in self._hosts:
            directories, broker = host.log_directories, image.brokers.get(host.id)
            if directories is None or broker is None:
                found.append(f"node {host.id} does not run")
                continue
            if set(broker.directories) != set(directories.online_ids) or directories.has_offline:
                found.append(f"node {host.id} has {directories.all}, and registered {broker.directories}")
            found += _moving(host)
            found += _misplaced(host, image)
            found += _doubled(host)
        return found


def _changed(before: ClusterImage | None, image: ClusterImage) -> Iterator[tuple[bytes, int, PartitionImage]]:
    """Partitions that are not the same as before."""
    if before is not None and before.topics is image.topics:
        return
    for topic_id, topic in image.topics.items():
        known = None if before is None else before.topics.get(topic_id)
        if known is not topic:
            for index, partition in topic.partitions_in_order():
                if known is None or known.partitions.get(index) is not partition:
                    yield topic_id, index, partition


def _placed_on(image: ClusterImage, broker_id: int) -> list[tuple[bytes, int]]:
    return [
        (topic_id, index)
        for topic_id, topic in image.topics.items()
        for index, partition in topic.partitions_in_order()
        if broker_id in partition.replicas
    ]


def _open_replicas(host: Host) -> list[Hosted]:
    data = None if host.quorum is None or host.node is None else host.node._broker
    return [] if data is None else [each for each in data.manager.replicas if each.log is not None]


def _places(host: Host, topic_id: bytes, index: int) -> list[bytes]:
    """The directories in which a running node has a replica, or a copy that may become it; none if it is offline."""
    data, directories = None if host.node is None else host.node._broker, host.log_directories
    hosted = None if data is None else data.manager.replicas.get(topic_id, index)
    if (
        data is None
        or hosted is None
        or directories is None
        or not directories.is_online(hosted.directory_id)
    ):
        return []
    moving = data.manager.moves._by_id.get((topic_id, index))
    return [hosted.directory_id] if moving is None else [hosted.directory_id, moving.target_id]


def _moving(host: Host) -> Iterator[str]:
    """Moves that have not ended. Of one that waits for others nothing is on a disk yet."""
    data = None if host.node is None else host.node._broker
    for moving in () if data is None else data.manager.moves._by_id.values():
        partition = moving.hosted.partition
        yield f"{partition.topic}-{partition.index} on {host.id} moves to {moving.path}"


def _misplaced(host: Host, image: ClusterImage) -> Iterator[str]:
    for hosted in _open_replicas(host):
        partition = hosted.partition
        topic = image.topics.get(partition.topic_id)
        recorded = None if topic is None else topic.partitions[partition.index].directory_of(host.id)
        if recorded is not None and recorded != hosted.directory_id:
            where = f"{partition.topic}-{partition.index} on {host.id}"
            yield f"{where} is in {hosted.directory_id.hex()}, and {recorded.hex()} is recorded"


def _doubled(host: Host) -> Iterator[str]:
    names: Counter[str] = Counter()
    for path in host.directories:
        for name in host.disk._names.children.get(path, ()):
            parsed = parse_directory_name(name)
            if parsed is not None and parsed.suffix == FUTURE_SUFFIX:
                yield f"node {host.id} has the copy {path}/{name}"
            elif parsed is not None and not parsed.suffix:
                names[name] += 1
    for name, count in names.items():
        if count > 1:
            yield f"node {host.id} has {name} in {count} directories"


def _topic_id(host: Host, path: str) -> bytes | None:
    try:
        with host.disk.looked_at():
            return read_topic_id(host.disk, path)
    except StorageError:
        return None
