"""The lives of brokers: they start, are restarted, crash, flap, fall behind, and lose directories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kafkaproto.message import Message
from kafkaproto.messages import PartitionChangeRecord
from kafkaproto_pipeline.synthetic.cluster import NO_LEADER, SyntheticPartition
from kafkaproto_pipeline.synthetic.log import METADATA_VERSION
from kafkaproto_pipeline.synthetic.world import World
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.apply_topics import NO_RECOVERY_STATE_CHANGE
from kafkaproto_server.metadata.image.entries import RECOVERED, RECOVERING, BrokerRegistration, FeatureRange

BROKER_PORT = 9092
SUPPORTED = (
    FeatureRange(name="metadata.version", min_level=7, max_level=METADATA_VERSION),
    FeatureRange(name="kraft.version", min_level=0, max_level=1),
    FeatureRange(name="transaction.version", min_level=0, max_level=2),
    FeatureRange(name="group.version", min_level=0, max_level=1),
    FeatureRange(name="eligible.leader.replicas.version", min_level=0, max_level=1),
    FeatureRange(name="share.version", min_level=0, max_level=1),
    FeatureRange(name="streams.version", min_level=0, max_level=1),
)
SHUTDOWN_MS = (2_000, 15_000)
BOOT_MS = (3_000, 40_000)
OUTAGE_MS = (9_000, 240_000)
CATCH_UP_MS = (300, 90_000)
UNCLEAN_AFTER_MS = 600_000
"""How long a partition is leaderless before somebody has one elected that may have lost records."""
DISK_REPLACED_MS = (300_000, 3_600_000)
FLAPS = (4, 14)
FLAP_MS = (12_000, 90_000)


class BrokerLives:
    """What happens to brokers, with all that the controller writes because of it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._cluster = world.cluster
        self._rng = world.rng
        self._busy: set[int] = set()
        """Those that are down, on their way, or known to be in trouble."""

    def start_all(self, count: int, racks: int, directories: int) -> None:
        """The first start of every broker, ids from 101 on."""
        for number in range(count):
            broker_id = 101 + number
            registration = BrokerRegistration(
                broker_id=broker_id,
                incarnation_id=self._rng.randbytes(16),
                epoch=self._world.log.next_offset,
                endpoints=(Endpoint(name="PLAINTEXT", host=f"broker-{broker_id}.example", port=BROKER_PORT),),
                features=SUPPORTED,
                rack=f"rack-{number % racks + 1}" if racks else None,
                fenced=True,
                in_controlled_shutdown=False,
                directories=tuple(sorted(self._rng.randbytes(16) for _ in range(directories))),
                cordoned_directories=(),
            )
            self._world.append([self._cluster.register(registration)])
            self._world.append(self._cluster.unfence(broker_id))

    def restart(self) -> None:
        """A controlled shutdown, as in a rolling upgrade, and the start after it."""
        broker_id = self._pick()
        if broker_id is not None:
            self._shut_down(broker_id, self._cluster.brokers[broker_id].directories)

    def crash(self) -> None:
        """A broker is gone without a word; its session ends, some time later it is back."""
        broker_id = self._pick()
        if broker_id is not None:
            self._fence(broker_id)
            self._world.after(self._rng.uniform(*OUTAGE_MS), lambda: self._come_back(broker_id))

    def flap(self) -> None:
        """A broker loses its session again and again."""
        broker_id = self._pick()
        if broker_id is not None:
            self._flap(broker_id, self._rng.randint(*FLAPS))

    def fall_behind(self) -> None:
        """A broker follows too slowly: a leader drops it from ISRs, and takes it in again later."""
        if not self._cluster.partitions:
            return
        first = self._rng.choice(self._cluster.partitions)
        followers = [each for each in first.isr if each != first.leader]
        if first.leader == NO_LEADER or not followers:
            return
        slow = self._rng.choice(followers)
        changes = [self._without_follower(first, slow)]
        for _ in range(int(self._rng.paretovariate(1.1)) - 1):
            other = self._rng.choice(self._cluster.partitions)
            if other.leader == first.leader and slow in other.isr:
                changes.append(self._without_follower(other, slow))
        self._world.append(changes)

    def lose_directory(self) -> None:
        """A disk breaks, and is replaced some time later."""
        candidates = [
            broker_id
            for broker_id in self._cluster.active_brokers()
            if broker_id not in self._busy and len(self._cluster.brokers[broker_id].directories) > 1
        ]
        if not candidates or self._busy:
            return
        broker_id = self._rng.choice(candidates)
        self._busy.add(broker_id)
        lost = self._rng.choice(self._cluster.brokers[broker_id].directories)
        hit = self._in_directory(broker_id, lost)
        self._world.append(
            [self._cluster.lose_directory(broker_id, lost), *self._cluster.leave(broker_id, hit)]
        )
        kept = self._cluster.brokers[broker_id].directories
        replaced = tuple(sorted((*kept, self._rng.randbytes(16))))
        self._world.after(self._rng.uniform(*DISK_REPLACED_MS), lambda: self._shut_down(broker_id, replaced))

    def prefer(self) -> None:
        """The controller's regular check gives leaderships back to preferred replicas."""
        self._world.append(
            [
                self._cluster.change(partition, leader=partition.replicas[0])
                for partition in self._cluster.partitions
                if partition.leader not in (NO_LEADER, partition.replicas[0])
                and partition.replicas[0] in partition.isr
            ]
        )

    def _pick(self) -> int | None:
        """A broker that something may happen to: never more than a third of them are in trouble at once."""
        brokers = sorted(set(self._cluster.active_brokers()) - self._busy)
        if not brokers or (len(self._busy) + 1) * 3 > len(self._cluster.brokers):
            return None
        broker_id = self._rng.choice(brokers)
        self._busy.add(broker_id)
        return broker_id

    def _shut_down(self, broker_id: int, directories: tuple[bytes, ...]) -> None:
        begin = self._cluster.begin_shutdown(broker_id)
        self._world.append([begin, *self._cluster.leave(broker_id)])

        def gone() -> None:
            self._world.append([self._cluster.fence(broker_id)])
            self._world.after(self._rng.uniform(*BOOT_MS), lambda: self._come_back(broker_id, directories))

        self._world.after(self._rng.uniform(*SHUTDOWN_MS), gone)

    def _fence(self, broker_id: int) -> None:
        fence = self._cluster.fence(broker_id)
        self._world.append([fence, *self._cluster.leave(broker_id)])
        self._world.after(UNCLEAN_AFTER_MS, lambda: self._elect_unclean(broker_id))

    def _flap(self, broker_id: int, times: int) -> None:
        self._fence(broker_id)
        self._world.after(
            self._rng.uniform(*FLAP_MS), lambda: self._come_back(broker_id, flaps_left=times - 1)
        )

    def _come_back(
        self, broker_id: int, directories: tuple[bytes, ...] | None = None, flaps_left: int = 0
    ) -> None:
        old = self._cluster.brokers[broker_id]
        registration = msgspec.structs.replace(
            old,
            incarnation_id=self._rng.randbytes(16),
            epoch=self._world.log.next_offset,
            fenced=True,
            in_controlled_shutdown=False,
            directories=directories or old.directories,
        )
        self._world.append([self._cluster.register(registration)])
        self._world.after(self._rng.uniform(*BOOT_MS), lambda: self._serve(broker_id, flaps_left))

    def _serve(self, broker_id: int, flaps_left: int) -> None:
        self._lead_again(broker_id, self._cluster.unfence(broker_id))
        self._assign_directories(broker_id)
        self._catch_up(broker_id)
        if flaps_left:
            self._world.after(self._rng.uniform(*FLAP_MS), lambda: self._flap(broker_id, flaps_left))
        else:
            self._busy.discard(broker_id)

    def _lead_again(self, broker_id: int, records: Sequence[Message] = ()) -> None:
        """After these records, the broker leads the partitions without a leader for which it is eligible."""
        waiting = self._cluster.waiting_for(broker_id)
        changes = [self._cluster.change(each, isr=[broker_id], leader=broker_id) for each in waiting]
        self._world.append([*records, *changes])
        self._followers_catch_up(waiting)

    def _assign_directories(self, broker_id: int) -> None:
        """Replicas whose directory is gone are created again in another one, and their broker reports which."""
        online = self._cluster.brokers[broker_id].directories
        changes = []
        for partition in self._cluster.hosted[broker_id]:
            place = partition.replicas.index(broker_id)
            if partition.directories[place] not in online:
                directories = list(partition.directories)
                directories[place] = self._rng.choice(online)
                changes.append(self._cluster.change(partition, directories=directories))
        self._world.append(changes)
        self._lead_again(broker_id)

    def _catch_up(self, broker_id: int) -> None:
        """Each leader takes the broker into ISRs as it catches up, some partitions at a time."""
        behind: dict[int, list[SyntheticPartition]] = {}
        for partition in self._cluster.hosted[broker_id]:
            if broker_id not in partition.isr and partition.leader != NO_LEADER:
                behind.setdefault(partition.leader, []).append(partition)
        for partitions in behind.values():
            start = 0
            while start < len(partitions):
                size = 1 + int(self._rng.paretovariate(0.8))
                part = partitions[start : start + size]
                start += size
                self._take_in_later(broker_id, part)

    def _followers_catch_up(self, partitions: Iterable[SyntheticPartition]) -> None:
        """The others come into the ISRs of partitions whose new leader is alone."""
        for partition in partitions:
            for broker_id in partition.replicas:
                if broker_id != partition.leader:
                    self._take_in_later(broker_id, [partition])

    def _take_in_later(self, broker_id: int, partitions: Sequence[SyntheticPartition]) -> None:
        self._world.after(self._rng.uniform(*CATCH_UP_MS), lambda: self._take_in(broker_id, partitions))

    def _without_follower(self, partition: SyntheticPartition, broker_id: int) -> PartitionChangeRecord:
        isr = [each for each in partition.isr if each != broker_id]
        self._take_in_later(broker_id, [partition])
        return self._cluster.change(partition, isr=isr)

    def _take_in(self, broker_id: int, partitions: Iterable[SyntheticPartition]) -> None:
        changes = []
        for partition in partitions:
            if (
                partition.place >= 0
                and broker_id in partition.replicas
                and broker_id not in partition.isr
                and partition.leader != NO_LEADER
                and self._cluster.is_usable(partition, broker_id)
            ):
                is_recovering = partition.recovery_state == RECOVERING
                changes.append(
                    self._cluster.change(
                        partition,
                        isr=[*partition.isr, broker_id],
                        recovery_state=RECOVERED if is_recovering else NO_RECOVERY_STATE_CHANGE,
                    )
                )
        self._world.append(changes)

    def _elect_unclean(self, broker_id: int) -> None:
        """Any usable replica now leads the partitions that have had no leader since that broker failed."""
        changes = []
        elected = []
        for partition in self._cluster.hosted[broker_id]:
            usable = [each for each in partition.replicas if self._cluster.is_usable(partition, each)]
            if partition.leader == NO_LEADER and usable:
                elected.append(partition)
                changes.append(
                    self._cluster.change(
                        partition, isr=usable[:1], leader=usable[0], recovery_state=RECOVERING
                    )
                )
        self._world.append(changes)
        self._followers_catch_up(elected)

    def _in_directory(self, broker_id: int, directory: bytes) -> list[SyntheticPartition]:
        return [
            partition
            for partition in self._cluster.hosted[broker_id]
            if partition.directories[partition.replicas.index(broker_id)] == directory
        ]
