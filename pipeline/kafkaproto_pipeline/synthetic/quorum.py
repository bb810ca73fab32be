"""The metadata quorum of a synthetic history: its voters, and who leads when."""

from __future__ import annotations

from kafkaproto.messages import KRaftVersionRecord, LeaderChangeMessage, VotersRecord
from kafkaproto.records.control import ControlRecordType
from kafkaproto_pipeline.synthetic.log import KRAFT_VERSION, METADATA_VERSION
from kafkaproto_pipeline.synthetic.world import World
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.metadata.image.entries import ControllerRegistration, FeatureRange
from kafkaproto_server.metadata.image.records import register_controller_record

CONTROLLER_PORT = 9093
LISTENER = "CONTROLLER"
ELECTION_MS = (150, 3_000)


def voters_record(directory_ids: dict[int, bytes]) -> VotersRecord:
    """The voters, by id, with the directories that hold their logs."""
    return VotersRecord(
        version=0,
        voters=[
            VotersRecord.Voter(
                voter_id=node_id,
                voter_directory_id=directory_id,
                endpoints=[VotersRecord.Endpoint(name=LISTENER, host=_host(node_id), port=CONTROLLER_PORT)],
                kraft_version_feature=VotersRecord.KRaftVersionFeature(
                    min_supported_version=0, max_supported_version=KRAFT_VERSION
                ),
            )
            for node_id, directory_id in directory_ids.items()
        ],
    )


class QuorumLife:
    """Elections, and the registrations of controllers."""

    def __init__(self, world: World, directory_ids: dict[int, bytes], voters: VotersRecord) -> None:
        self._world = world
        self._rng = world.rng
        self._directory_ids = directory_ids
        self._voters = voters
        self.leader_id = -1

    def begin(self) -> None:
        """The first leader's first batch, which has the quorum's version and voters, too."""
        self._world.log.epoch = 1
        self.leader_id = self._rng.choice(list(self._directory_ids))
        version = KRaftVersionRecord(version=0, kraft_version=KRAFT_VERSION)
        self._world.log.append_control(
            [
                (ControlRecordType.LEADER_CHANGE, self._leader_change()),
                (ControlRecordType.KRAFT_VERSION, version),
                (ControlRecordType.KRAFT_VOTERS, self._voters),
            ]
        )

    def register_all(self) -> None:
        """Every controller registers with the active one."""
        for node_id in self._directory_ids:
            self.register(node_id)

    def register(self, node_id: int) -> None:
        registration = ControllerRegistration(
            controller_id=node_id,
            incarnation_id=self._rng.randbytes(16),
            endpoints=(Endpoint(name=LISTENER, host=_host(node_id), port=CONTROLLER_PORT),),
            features=(
                FeatureRange(name="metadata.version", min_level=7, max_level=METADATA_VERSION),
                FeatureRange(name="kraft.version", min_level=0, max_level=KRAFT_VERSION),
            ),
        )
        self._world.cluster.controllers[node_id] = registration
        self._world.append([register_controller_record(registration)])

    def elect(self) -> None:
        """Another controller leads; at times it takes several epochs until one is elected."""
        log = self._world.log
        log.now_ms += self._rng.randint(*ELECTION_MS)
        log.epoch += self._rng.choice((1, 1, 1, 1, 2, 3))
        others = [node_id for node_id in self._directory_ids if node_id != self.leader_id]
        self.leader_id = self._rng.choice(others or [self.leader_id])
        log.append_control([(ControlRecordType.LEADER_CHANGE, self._leader_change())])

    def restart_leader(self) -> None:
        """The active controller is restarted: another leads, and the old one registers again."""
        old = self.leader_id
        self.elect()
        self._world.after(self._rng.randint(5_000, 60_000), lambda: self.register(old))

    def _leader_change(self) -> LeaderChangeMessage:
        voter_ids = list(self._directory_ids)
        others = [node_id for node_id in voter_ids if node_id != self.leader_id]
        granting = sorted([self.leader_id, *self._rng.sample(others, len(voter_ids) // 2)])
        return LeaderChangeMessage(
            version=0,
            leader_id=self.leader_id,
            voters=[LeaderChangeMessage.Voter(voter_id=node_id) for node_id in voter_ids],
            granting_voters=[LeaderChangeMessage.Voter(voter_id=node_id) for node_id in granting],
        )


def _host(node_id: int) -> str:
    return f"controller-{node_id}.example"
