"""IncrementalAlterConfigs (44), v0-1; both kinds of listeners (KIP-339).

Sets, deletes, appends and subtracts single configs. A broker refuses what is wrong in any case and forwards the rest to
the active controller, which decides (`core.controller.commands.alter_configs`). The levels of loggers belong to each
node: broker and controller change them locally (`admin.logger_levels`). `admin.config_changes` has the code that this
API shares with AlterConfigs.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.admin.config_changes import (
    authorized,
    handle_on_broker,
    handle_on_controller,
    refuse_resources,
)
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import KEYS
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.entries import BROKER_LOGGER_RESOURCE
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.refusals import Refusal

_ACCESS = of_items(Operation.ALTER_CONFIGS, ResourceType.ANY)


def refuse(
    request: IncrementalAlterConfigsRequest, refusal: Refusal
) -> Steps[IncrementalAlterConfigsResponse]:
    """The error once for each resource."""
    responses = yield from refuse_resources(
        request, IncrementalAlterConfigsResponse.AlterConfigsResourceResponse, refusal
    )
    return IncrementalAlterConfigsResponse(responses=responses)


API = Api(
    key=ApiKey.INCREMENTAL_ALTER_CONFIGS,
    bounds=KEYS,
    broker=Served(
        # The active controller checks the access to other resources.
        handler=authorized(handle_on_broker, frozenset({BROKER_LOGGER_RESOURCE})),
        access=_ACCESS,
        is_forwarded=True,
    ),
    controller=Served(handler=authorized(handle_on_controller), access=_ACCESS),
    refuse=refuse,
)
