"""UnregisterBroker (64, v0): removes the registration of a broker that will not come back, or is to start anew.

The broker leaves every ISR and every ELR, then its registration is removed. Replicas stay assigned to it until somebody
reassigns them. As in Apache Kafka it need not be fenced: a broker that still runs gets STALE_BROKER_EPOCH for its
heartbeats until its process is started again. Its session ends with the registration.
"""

from __future__ import annotations

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import UnregisterBrokerRecord, UnregisterBrokerRequest, UnregisterBrokerResponse
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.partitions.broker_changes import changes_without_crashed
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.core.controller.values.sessions import SessionChange


def unregister_broker(situation: Situation, request: UnregisterBrokerRequest) -> Steps[CommandResult]:
    """Unregister the broker; raises ApiError (BROKER_ID_NOT_REGISTERED) if no broker has that id."""
    broker = situation.image.brokers.get(request.broker_id)
    if broker is None:
        raise ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, f"Broker {request.broker_id} is not registered.")
    configs = situation.topic_configs()
    # As after a crash, out of the ELR as well: no broker may be eligible that is not registered.
    records = yield from changes_without_crashed(situation.image, configs, broker.broker_id)
    # Last: until then the broker is known, and no reader sees a leader without a registration.
    records.append(UnregisterBrokerRecord(broker_id=broker.broker_id, broker_epoch=broker.epoch))
    return CommandResult(
        response=UnregisterBrokerResponse(),
        records=records,
        atomic=False,
        # Else the end of its session would fence a broker that does not exist.
        session=SessionChange(broker_id=broker.broker_id, session=None),
    )
