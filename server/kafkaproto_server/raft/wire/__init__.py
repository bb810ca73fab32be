"""The quorum's messages as bytes: the one door to the ``wire_*`` files, for the driver and nobody in the core.

They are the only ones of this package that know generated messages. What comes from outside and makes no sense
raises RemoteProtocolError and never reaches the core; a request whose sense is plain but not meant for this
cluster's metadata log is answered here.
"""

from kafkaproto_server.raft.wire.describe_quorum import describe_quorum_response
from kafkaproto_server.raft.wire.inbound import decode_request, encode_answer
from kafkaproto_server.raft.wire.outbound import (
    RequestVersions,
    TopLevelError,
    decode_response,
    encode_request,
    request_versions,
)
from kafkaproto_server.raft.wire.records import encode_batch, recorded_control

__all__ = [
    "RequestVersions",
    "TopLevelError",
    "decode_request",
    "decode_response",
    "describe_quorum_response",
    "encode_answer",
    "encode_batch",
    "encode_request",
    "recorded_control",
    "request_versions",
]
