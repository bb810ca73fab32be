"""Raft messages as Apache Kafka 4.3.1 controllers and brokers sent them to each other.

Caught by a proxy between the nodes; requests are shown from the header on, without the size in front, and so are
answers. The quorum is made of the nodes 1, 2 and 3 on 127.0.0.1 with the listener CONTROLLER; node 4 is a controller
with auto-join, node 11 a broker.
"""

from __future__ import annotations

from kafkaproto.headers import decode_request_header

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
LISTENER = "CONTROLLER"

FETCH_V18 = bytes.fromhex(
    "0001001200000014000d726166742d636c69656e742d3300000001f400000000001000000000000000ffffffff0200000000"
    "000000000000000000000001020000000000000000000000000000000000000000ffffffffffffffff000000000200103fed"
    "ed0e34d644da8f91e9d5fa7d061a0108ffffffffffffffff000101020017174d6b55334f4556424e5463774e544a454e444d"
    "325167010d00000003ffffffffffffffff00"
)
"""Node 3, epoch 0, with nothing stored, to a bootstrap server."""
FETCH_V18_ANSWER = bytes.fromhex(
    "000000140000000000000000000000020000000000000000000000000000000102000000000006ffffffffffffffffffffff"
    "ffffffffff000000000000000001ffffffff01010109ffffffff00000000000000"
)
"""Its answer while no leader is known: NOT_LEADER_OR_FOLLOWER."""
PRE_VOTE_V2 = bytes.fromhex(
    "003400020000004e000d726166742d636c69656e742d3300174d6b55334f4556424e5463774e544a454e444d325167000000"
    "0202135f5f636c75737465725f6d65746164617461020000000000000000000000033feded0e34d644da8f91e9d5fa7d061a"
    "193b03df81fb4b45b8d6e6262a23128400000000000000000000000001000000"
)
"""Node 3 to node 2 in epoch 0."""
PRE_VOTE_V2_GRANTED = bytes.fromhex(
    "0000004e00000002135f5f636c75737465725f6d6574616461746102000000000000ffffffff0000000001000000"
)
"""Granted; no leader is known."""
PRE_VOTE_V2_REFUSED = bytes.fromhex(
    "000001fc00000002135f5f636c75737465725f6d657461646174610200000000000000000003000000010000000100120200"
    "0000030a3132372e302e302e31534100"
)
"""Refused by a follower of node 3 in epoch 1."""
BEGIN_QUORUM_EPOCH_V1 = bytes.fromhex(
    "0035000100000058000d726166742d636c69656e742d3300174d6b55334f4556424e5463774e544a454e444d325167000000"
    "0202135f5f636c75737465725f6d657461646174610200000000193b03df81fb4b45b8d6e6262a2312840000000300000001"
    "0000020b434f4e54524f4c4c45520a3132372e302e302e3153410000"
)
"""Leader 3 of epoch 1 to node 2."""
END_QUORUM_EPOCH_V1 = bytes.fromhex(
    "003600010000005a000d726166742d636c69656e742d3300174d6b55334f4556424e5463774e544a454e444d32516702135f"
    "5f636c75737465725f6d657461646174610200000000000000030000000103000000012eafd6cae0b94e9ab599b9da2f6456"
    "1e0000000002193b03df81fb4b45b8d6e6262a2312840000000100"
)
"""Leader 3 of epoch 1 has resigned; successors are 1, then 2."""
FETCH_SNAPSHOT_V1 = bytes.fromhex(
    "003b000100000004000e726166742d636c69656e742d3131000000000b0010000002135f5f636c75737465725f6d65746164"
    "617461020000000000000006000000000000034d00000006000000000000000000010010ac65566a3e471fbce5eaccff12a4"
    "4f2200010017174d6b55334f4556424e5463774e544a454e444d325167"
)
"""Broker 11 asks for the snapshot 845-6."""
UPDATE_RAFT_VOTER_V0 = bytes.fromhex(
    "0052000000000023000d726166742d636c69656e742d3100174d6b55334f4556424e5463774e544a454e444d325167000000"
    "01000000018f565223da8dee54eecbaba474d7534e020b434f4e54524f4c4c45520a3132372e302e302e3154070000000001"
    "0000"
)
"""Node 1 to leader 3 of epoch 1, in a quorum with kraft.version 0."""
UPDATE_RAFT_VOTER_V0_ANSWER = bytes.fromhex(
    "000000230000000000000001001700000003000000010a3132372e302e302e310000540900"
)
"""Taken."""
ADD_RAFT_VOTER_V1 = bytes.fromhex(
    "005000010000000f000d726166742d636c69656e742d3400174d6b55334f4556424e5463774e544a454e444d325167000007"
    "d000000004c350ba2437a6d3d1bf4f13d9ae32a3e3020b434f4e54524f4c4c45520a3132372e302e302e315338000000"
)
"""Node 4 has itself added."""
API_VERSIONS_V4 = bytes.fromhex(
    "0012000400000015000d726166742d636c69656e742d3300126170616368652d6b61666b612d6a61766106342e332e3100"
)
"""Node 3 to any node."""


def body_of_request(frame: bytes) -> tuple[int, int, bytes]:
    """Api key, version and body of a request."""
    header, start = decode_request_header(frame)
    return header.api_key, header.api_version, frame[start:]


def body_of_answer(frame: bytes) -> bytes:
    """Body of an answer whose header is the correlation id and no tagged fields."""
    assert frame[4] == 0, "the header has tagged fields"
    return frame[5:]
