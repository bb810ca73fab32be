"""UpdateFeatures (57), v0-2; controller listeners, forwarded by brokers (KIP-584).

The active controller raises or lowers finalized levels; a change of kraft.version goes through the quorum. The decision
is `core.controller.commands.update_features`.

- v1 says how a level may be lowered (UpgradeType), and can request only a check.
- v2 has one error for all features (KIP-1022); below, each feature has a result.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import UpdateFeaturesRequest, UpdateFeaturesResponse
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.refusals import Refusal


def refuse(request: UpdateFeaturesRequest, refusal: Refusal) -> UpdateFeaturesResponse:
    """A refusal lists no features, in any version."""
    return UpdateFeaturesResponse(error_code=refusal.code, error_message=refusal.message)


def _timeout_ms(request: UpdateFeaturesRequest) -> int:
    return request.timeout_ms


API = Api(
    key=ApiKey.UPDATE_FEATURES,
    bounds=SMALL,
    broker=FORWARDED,
    controller=submitted(Operation.ALTER),
    refuse=refuse,
    timeout_ms=_timeout_ms,
)
