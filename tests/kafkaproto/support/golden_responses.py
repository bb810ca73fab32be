"""Responses as stock Apache Kafka 4.3.1 nodes sent them, recorded on the wire: header and body, without the size.

They answered the requests in `tests.fuzz.support.golden_requests`; none was made by our own encoder. The header is
that of the api's response at the version named.
"""

from __future__ import annotations

GOLDEN_RESPONSES: dict[str, bytes] = {
    name: bytes.fromhex(text)
    for name, text in {
        # No leader is known yet.
        "Fetch v18": (
            "000000140000000000000000000000020000000000000000000000000000000102000000000006ffffffffffffffffff"
            "ffffffffffffff000000000000000001ffffffff01010109ffffffff00000000000000"
        ),
        # A pre-vote, granted.
        "Vote v2": "0000004e00000002135f5f636c75737465725f6d6574616461746102000000000000ffffffff0000000001000000",
        # A pre-vote, refused by a follower of node 3 at epoch 1, which says where node 3 is.
        "Vote v2 refused": (
            "000001fc00000002135f5f636c75737465725f6d65746164617461020000000000000000000300000001000000010012"
            "02000000030a3132372e302e302e31534100"
        ),
        "UpdateRaftVoter v0": "000000230000000000000001001700000003000000010a3132372e302e302e310000540900",
        # Caught up and fenced.
        "BrokerHeartbeat v2": "000000020000000000000001010000",
        "AlterPartition v3": (
            "00000000000000000000000274c619002d5e4dd084eaa9859a653786020000000100000000000a00000001030000000a"
            "0000000b0000000002000000"
        ),
        # With the answer to a ListPartitionReassignments inside.
        "Envelope v0": "00000005000f0000006500000000000000000100000000",
        "AllocateProducerIds v0": "00000002000000000000000000000000000000000003e800",
    }.items()
}
