"""AlterConfigs (33), v0-2; both kinds of listeners (KIP-133).

Replaces all configs of a resource. A broker refuses what is wrong in any case and forwards the rest to the active
controller, which decides (`core.controller.commands.alter_configs`). This API cannot change the levels of loggers.
`admin.config_changes` has the code that it shares with IncrementalAlterConfigs.
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import AlterConfigsRequest, AlterConfigsResponse
from kafkaproto_server.apis.access import of_items
from kafkaproto_server.apis.admin.config_changes import (
    authorized,
    handle_on_broker,
    refuse_resources,
    submit,
)
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import KEYS
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.entries import BROKER_LOGGER_RESOURCE
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.requests.refusals import Refusal

_ACCESS = of_items(Operation.ALTER_CONFIGS, ResourceType.ANY)


def refuse(request: AlterConfigsRequest, refusal: Refusal) -> Steps[AlterConfigsResponse]:
    """The error once for each resource."""
    responses = yield from refuse_resources(
        request, AlterConfigsResponse.AlterConfigsResourceResponse, refusal
    )
    return AlterConfigsResponse(responses=responses)


API = Api(
    key=ApiKey.ALTER_CONFIGS,
    bounds=KEYS,
    broker=Served(
        # The active controller checks the access to other resources.
        handler=authorized(handle_on_broker, frozenset({BROKER_LOGGER_RESOURCE})),
        access=_ACCESS,
        is_forwarded=True,
    ),
    controller=Served(handler=authorized(submit), access=_ACCESS),
    refuse=refuse,
)
