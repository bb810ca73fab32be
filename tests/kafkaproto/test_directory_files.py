"""The small files of a log directory: Kafka's bytes, and the key that is named where content is not valid."""

from __future__ import annotations

import pytest

from kafkaproto import uuids
from kafkaproto.directory_files import (
    decode_meta_properties,
    decode_partition_metadata,
    decode_quorum_state,
    encode_partition_metadata,
    encode_quorum_state,
)
from kafkaproto.messages import QuorumStateData

METADATA_TOPIC_ID = uuids.from_text("AAAAAAAAAAAAAAAAAAAAAQ")
# As kafka-server-start of 4.3.1 left them.
PARTITION_METADATA = b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ"
QUORUM_STATE = b'{"leaderId":-1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"J8aAPcfLQt2bqs1JT_rMgQ","data_version":1}'
STATIC_QUORUM_STATE = (
    b'{"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1}],'
    b'"data_version":0}'
)


def test_the_topic_of_a_partition_is_written_and_read() -> None:
    assert encode_partition_metadata(METADATA_TOPIC_ID) == PARTITION_METADATA
    assert decode_partition_metadata(PARTITION_METADATA) == METADATA_TOPIC_ID
    assert decode_partition_metadata(PARTITION_METADATA + b"\n") == METADATA_TOPIC_ID


@pytest.mark.parametrize("content", [QUORUM_STATE, STATIC_QUORUM_STATE])
def test_the_state_of_elections_is_written_and_read(content: bytes) -> None:
    state, data_version = decode_quorum_state(content)
    assert state.leader_epoch == 2
    assert encode_quorum_state(state, data_version) == content


def test_voters_stand_in_the_file_of_version_0_only() -> None:
    state, data_version = decode_quorum_state(STATIC_QUORUM_STATE)
    assert (data_version, state.current_voters) == (0, [QuorumStateData.Voter(voter_id=1)])
    state, data_version = decode_quorum_state(QUORUM_STATE)
    assert (data_version, state.current_voters) == (1, QuorumStateData().current_voters)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"version: 0\n", "topic_id is missing"),
        (b"version: 0\ntopic_id: x", "topic_id: 'x' is not a UUID"),
    ],
)
def test_a_damaged_partition_metadata_is_told_with_its_key(content: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        decode_partition_metadata(content)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"{", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[]", "a JSON object is expected"),
        (b'{"leaderEpoch":1}', "data_version is None, this release reads 0 to 1"),
        (QUORUM_STATE.replace(b'"data_version":1', b'"data_version":2'), "data_version is 2"),
        (QUORUM_STATE.replace(b'"leaderEpoch":2', b'"leaderEpoch":-2'), "leaderEpoch is -2"),
        (QUORUM_STATE.replace(b'"leaderEpoch":2', b'"leaderEpoch":"x"'), "leaderEpoch"),
    ],
)
def test_a_damaged_quorum_state_is_told_with_its_key(content: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        decode_quorum_state(content)


def test_damaged_meta_properties_are_told_with_their_key() -> None:
    with pytest.raises(ValueError, match="cluster[.]id is missing"):
        decode_meta_properties(b"version=1\nnode.id=1\n")
