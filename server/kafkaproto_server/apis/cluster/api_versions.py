"""ApiVersions (18), v0-5; both kinds of listeners (KIP-35, KIP-511, KIP-584, KIP-1242).

The response has the version ranges of `apis.table`. For APIs that a broker forwards, it has the versions that the
active controller serves as well. Version 3 and later have the features. Below version 4, a supported feature whose
lowest level is 0 is left out, because old clients cannot read it (KAFKA-17492). As in Kafka, the epoch of the finalized
features is the offset of the image on a broker, and the offset of the last feature change on a controller.

From version 5 on, a client may say which cluster and which node it expects behind the address. A broker that is another
one responds with REBOOTSTRAP_REQUIRED. A controller does not compare them, as in Kafka. To name one without the other
is INVALID_REQUEST on both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import ApiVersionsRequest, ApiVersionsResponse
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import SMALL
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.features import KRAFT_VERSION, supported_ranges
from kafkaproto_server.requests.context import RequestContext

_SOFTWARE_WORD = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
_FIRST_WITH_SOFTWARE = 3
_FIRST_WITH_ZERO_LEVELS = 4
_NO_NODE = -1


Advertised: TypeAlias = Callable[[ListenerKind, Services], Mapping[int, tuple[int, int]]]
"""The versions that a kind of listener offers now, by API key."""


def _respond(
    request: ApiVersionsRequest, context: RequestContext, services: Services, advertised: Advertised
) -> ApiVersionsResponse:
    """The versions and features, or an error alone: INVALID_REQUEST if the client's software name or version is not
    valid (KIP-511) or if it names a cluster without a node, or a node without a cluster; REBOOTSTRAP_REQUIRED if it
    means another broker."""
    version = context.api_version
    if version >= _FIRST_WITH_SOFTWARE and not (
        _SOFTWARE_WORD.fullmatch(request.client_software_name)
        and _SOFTWARE_WORD.fullmatch(request.client_software_version)
    ):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    is_broker = context.listener_kind is ListenerKind.BROKER
    names_cluster, names_node = request.cluster_id is not None, request.node_id != _NO_NODE
    if names_cluster is not names_node:
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    expected = request.cluster_id, request.node_id
    if is_broker and names_node and expected != (services.node.cluster_id, services.node.id):
        return ApiVersionsResponse(error_code=ErrorCode.REBOOTSTRAP_REQUIRED)
    image = services.metadata.image()
    # A feature at level 0 is not in use, and Kafka leaves it out as well.
    levels = {name: level for name, level in sorted(image.features.items()) if level > 0}
    # kraft.version is no FeatureLevelRecord: it comes from the control records of the quorum
    # (KIP-853).
    if services.quorum.kraft_version() > 0:
        levels[KRAFT_VERSION] = services.quorum.kraft_version()
    return ApiVersionsResponse(
        api_keys=[
            ApiVersionsResponse.ApiVersion(api_key=key, min_version=lowest, max_version=highest)
            for key, (lowest, highest) in sorted(advertised(context.listener_kind, services).items())
        ],
        supported_features=[
            ApiVersionsResponse.SupportedFeatureKey(name=name, min_version=lowest, max_version=highest)
            for name, (lowest, highest) in sorted(supported_ranges().items())
            if lowest > 0 or version >= _FIRST_WITH_ZERO_LEVELS
        ],
        finalized_features_epoch=image.offset if is_broker else image.features_offset,
        finalized_features=[
            ApiVersionsResponse.FinalizedFeatureKey(
                name=name, max_version_level=level, min_version_level=level
            )
            for name, level in sorted(levels.items())
        ],
    )


def api(advertised: Advertised) -> Api:
    """The row. The versions of the whole table come from ``advertised``, because this module does not know the
    table."""

    def handle(
        request: ApiVersionsRequest, context: RequestContext, services: Services
    ) -> ApiVersionsResponse:
        return _respond(request, context, services, advertised)

    # Everybody may ask: no client could choose a version of any other request without it.
    served = Served(handler=handle, access=None)
    return Api(key=ApiKey.API_VERSIONS, bounds=SMALL, broker=served, controller=served, is_urgent=True)
