"""The small files of a log directory: Kafka's bytes, and the key that is named where content is not valid."""

from __future__ import annotations

import pytest

from kafkaproto import uuids
from kafkaproto.directory_files import (
    MetaProperties,
    decode_checkpoint,
    decode_meta_properties,
    decode_partition_metadata,
    decode_quorum_state,
    encode_checkpoint,
    encode_meta_properties,
    encode_partition_metadata,
    encode_quorum_state,
    is_reserved_directory_id,
    torn_topic_id,
)
from kafkaproto.messages import QuorumStateData

CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg"
DIRECTORY_ID = uuids.from_text("cfDiVozwRvO-F35hnvT9vQ")
# As kafka-storage of 4.3.1 left it.
KAFKAS_FILE = (
    b"#\n#Sat Nov 21 06:28:49 UTC 2026\nnode.id=1\ndirectory.id=cfDiVozwRvO-F35hnvT9vQ\nversion=1\n"
    b"cluster.id=MkU3OEVBNTcwNTJENDM2Qg\n"
)
PROPERTIES = MetaProperties(version=1, cluster_id=CLUSTER, node_id=1, directory_id=DIRECTORY_ID)
METADATA_TOPIC_ID = uuids.from_text("AAAAAAAAAAAAAAAAAAAAAQ")
# As kafka-server-start of 4.3.1 left them.
PARTITION_METADATA = b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ"
QUORUM_STATE = (
    b'{"leaderId":-1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"J8aAPcfLQt2bqs1JT_rMgQ",'
    b'"data_version":1}'
)
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


def test_the_beginning_of_a_topic_id_that_was_torn() -> None:
    begin = PARTITION_METADATA.index(b"AAAA")
    for length in range(len(PARTITION_METADATA)):
        assert torn_topic_id(PARTITION_METADATA[:length]) == PARTITION_METADATA[begin:length].decode()
    for whole_or_damaged in (PARTITION_METADATA, PARTITION_METADATA[:-3] + b"!", b"version: 1"):
        assert torn_topic_id(whole_or_damaged) is None


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


def test_kafkas_file_is_written_and_read() -> None:
    assert encode_meta_properties(PROPERTIES, 1_795_242_529_999) == KAFKAS_FILE
    assert decode_meta_properties(KAFKAS_FILE) == PROPERTIES


def test_files_of_version_0_and_files_without_a_directory_id_are_recognised() -> None:
    version_0 = b"broker.id=4\ncluster.id=abc\n"
    expected = MetaProperties(version=0, cluster_id="abc", node_id=4, directory_id=None)
    assert decode_meta_properties(version_0) == expected
    assert decode_meta_properties(b"version=0\n" + version_0) == expected
    assert decode_meta_properties(b"") == MetaProperties(
        version=0, cluster_id=None, node_id=None, directory_id=None
    )
    assert decode_meta_properties(encode_meta_properties(expected, 0)) == expected
    without_id = decode_meta_properties(b"version=1\nnode.id=4\ncluster.id = abc\n")
    assert without_id == MetaProperties(version=1, cluster_id="abc", node_id=4, directory_id=None)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"version=7\n", "version is 7, this release reads 0 and 1"),
        (b"version=one\n", "version is 'one', a whole number is expected"),
        (b"version=1\nnode.id=1\n", "cluster.id is missing"),
        (b"version=1\ncluster.id=x\n", "node.id is missing"),
        (b"version=1\ncluster.id=x\nnode.id=1_0\n", "node.id is '1_0', a whole number"),
        (b"broker.id=?\n", "broker.id is '\\?'"),
        (b"version=1\ncluster.id=x\nnode.id=1\ndirectory.id=xx\n", "directory.id: 'xx' is not a UUID"),
        (
            b"version=1\ncluster.id=x\nnode.id=1\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAQ\n",
            "directory.id is AAAAAAAAAAAAAAAAAAAAAQ, which is reserved",
        ),
        (b"cluster.id=\\uZZZZ\n", "Invalid"),
    ],
)
def test_what_is_no_such_file_is_told_with_the_property(content: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        decode_meta_properties(content)


@pytest.mark.parametrize(
    ("number", "is_reserved"),
    [(0, True), (2, True), (99, True), (100, False), (1 << 63, True), (1 << 64, False)],
)
def test_reserved_directory_ids(number: int, is_reserved: bool) -> None:
    assert is_reserved_directory_id(number.to_bytes(16)) is is_reserved


def test_a_checkpoint_is_written_and_read() -> None:
    entries = [("orders", "0", "17"), ("orders", "1", "0")]
    content = encode_checkpoint([("orders", 0, 17), ("orders", 1, 0)])
    assert content == b"0\n2\norders 0 17\norders 1 0\n"
    assert decode_checkpoint(content) == entries
    assert decode_checkpoint(encode_checkpoint([])) == []


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the version is"),
        (b"1\n0\n", "the version is"),
        (b"0\n", "there are 0 entries"),
        (b"0\n2\nt 0 1\n", "there are 1 entries"),
        (b"0\nx\nt 0 1\n", "there are 1 entries"),
    ],
)
def test_a_damaged_checkpoint_is_told(content: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        decode_checkpoint(content)


def test_a_checkpoint_whose_last_number_may_be_cut_off_is_refused() -> None:
    whole = encode_checkpoint([(0, 0), (1, 10)])
    assert decode_checkpoint(whole) == [("0", "0"), ("1", "10")]
    for end in (-1, -2):
        with pytest.raises(ValueError, match="the last line has no end"):
            decode_checkpoint(whole[:end])
