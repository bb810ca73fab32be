"""Which fields of a request are left out if a node serves no version that has them.

A request may have more to say than an older node can hear. If its work is the same without that, the field is in the
table here, and the request goes without it, as Apache Kafka's senders do it. All other fields that a version lacks must
not be lost: then nothing is sent, and the sender gets UnsupportedVersionError, which it takes for a request without a
response.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

from kafkaproto.message import Message
from kafkaproto.messages import BrokerHeartbeatRequest
from kafkaproto.schema import within

LEFT_OUT: Mapping[type[Message], tuple[str, ...]] = {
    # Controllers before 4.3 place replicas in cordoned directories too. No record could tell them (KIP-1066).
    BrokerHeartbeatRequest: ("cordoned_log_dirs",),
}
"""Fields of the request itself, by their names in Python."""


def fitted(request: Message, version: int) -> Message:
    """The request as it can be sent in a version: itself, or a copy without what the version lacks."""
    names = LEFT_OUT.get(type(request), ())
    fields = [each for each in request.schema().root.fields if each.attribute in names] if names else []
    missing = [each for each in fields if not within(version, each.versions)]
    if not missing:
        return request
    result = copy.copy(request)
    for each in missing:
        setattr(result, each.attribute, each.default)
    return result
