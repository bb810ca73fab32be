"""What a snapshot's bytes hold, and what is read from them."""

from __future__ import annotations

from random import Random

import pytest

from kafkaproto.snapshot import SnapshotId, read_snapshot
from kafkaproto_server.base.types import Endpoint, ReplicaKey, Voter
from kafkaproto_server.core.raft.values.control import KRaftVersion, KRaftVoters, RecordedControl
from kafkaproto_server.core.raft.values.voters import VoterSet
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.quorum.snapshots.snapshot_contents import (
    controls_of_snapshot,
    image_of_snapshot,
    snapshot_id_of_image,
    snapshot_pieces,
)
from tests.metadata.image.support.reference import image_from_records
from tests.metadata.image.support.workload import random_records

VOTERS = VoterSet(
    voters=(
        Voter(
            key=ReplicaKey(id=1, directory_id=b"d" * 16),
            endpoints=(Endpoint(name="CONTROLLER", host="c1", port=9093),),
        ),
    )
)


def some_image(seed: int) -> ClusterImage:
    return image_from_records(random_records(Random(seed), 300), offset=499, epoch=7, timestamp_ms=1_234_567)


@pytest.mark.parametrize("seed", range(5))
def test_a_snapshot_gives_back_its_image(seed: int) -> None:
    image = some_image(seed)
    content = b"".join(snapshot_pieces(image, kraft_version=1, voters=VOTERS, timestamp_ms=1))
    snapshot_id = snapshot_id_of_image(image)
    assert snapshot_id == SnapshotId(epoch=7, end_offset=500)
    assert image_of_snapshot(read_snapshot(content), snapshot_id) == image


def test_a_snapshot_gives_back_version_and_voters_of_the_quorum() -> None:
    content = b"".join(snapshot_pieces(some_image(1), kraft_version=1, voters=VOTERS, timestamp_ms=1))
    assert controls_of_snapshot(read_snapshot(content), 500) == (
        RecordedControl(offset=499, record=KRaftVersion(level=1)),
        RecordedControl(offset=499, record=KRaftVoters(voters=VOTERS)),
    )


def test_a_snapshot_of_kraft_version_0_says_nothing_of_the_quorum() -> None:
    content = b"".join(snapshot_pieces(some_image(1), kraft_version=0, voters=None, timestamp_ms=1))
    assert controls_of_snapshot(read_snapshot(content), 500) == ()
