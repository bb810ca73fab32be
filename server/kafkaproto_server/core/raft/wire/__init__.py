"""The quorum's messages on the wire. The driver imports this package from here; the core never imports it.

Only the files of this package use generated messages. Invalid input from outside raises RemoteProtocolError and never
reaches the core. A valid request that is not for this cluster's metadata log gets its response here.
"""

from kafkaproto_server.core.raft.wire.describe_quorum import describe_quorum_response
from kafkaproto_server.core.raft.wire.inbound import decode_request, encode_response
from kafkaproto_server.core.raft.wire.outbound import (
    RequestVersions,
    TopLevelError,
    decode_response,
    encode_request,
    request_versions,
)
from kafkaproto_server.core.raft.wire.records import encode_batch, recorded_control

__all__ = [
    "RequestVersions",
    "TopLevelError",
    "decode_request",
    "decode_response",
    "describe_quorum_response",
    "encode_response",
    "encode_batch",
    "encode_request",
    "recorded_control",
    "request_versions",
]
