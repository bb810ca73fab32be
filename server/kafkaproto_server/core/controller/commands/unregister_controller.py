"""UnregisterController (94, v0): removes the registration of a controller that will not come back.

Only the registration goes: the quorum's voters are RemoveRaftVoter's business, and a voter can be unregistered. A
controller that still runs registers again once it sees that its registration is gone. The active controller does not
unregister itself, at any metadata.version, as in Kafka.

Apache Kafka: ``ClusterControlManager``, from 4.4 on.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    UnregisterControllerRecord,
    UnregisterControllerRequest,
    UnregisterControllerResponse,
)
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation

UNREGISTER_LEVEL = 33
"""metadata.version 4.4-IV2: the first level with UnregisterControllerRecord."""


def unregister_controller(situation: Situation, request: UnregisterControllerRequest) -> CommandResult:
    """Remove a registration.

    Raises ApiError: INVALID_REQUEST if it is this controller's own, UNSUPPORTED_VERSION if metadata.version is too low,
    CONTROLLER_ID_NOT_REGISTERED if no controller has that id.
    """
    image = situation.image
    # Before the level, as in Kafka: that answer would be the same at any level.
    if request.controller_id == situation.node_id:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Controller {request.controller_id} is active, and cannot unregister itself.",
        )
    if image.metadata_version < UNREGISTER_LEVEL:
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION, "Controllers are unregistered from metadata.version 4.4-IV2 on."
        )
    if request.controller_id not in image.controllers:
        raise ApiError(
            ErrorCode.CONTROLLER_ID_NOT_REGISTERED, f"Controller {request.controller_id} is not registered."
        )
    return CommandResult(
        response=UnregisterControllerResponse(),
        records=[UnregisterControllerRecord(controller_id=request.controller_id)],
    )
