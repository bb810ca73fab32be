"""AlterClientQuotas (49), v0-1; controller listeners, forwarded by brokers (KIP-546).

The active controller decides on each entity separately (`core.controller.commands.alter_client_quotas`).
"""

from __future__ import annotations

from kafkaproto.api import ApiKey
from kafkaproto.messages import AlterClientQuotasRequest, AlterClientQuotasResponse
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.apply_configs import quota_entity
from kafkaproto_server.metadata.image.entries import QuotaEntity
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once


def refuse(request: AlterClientQuotasRequest, refusal: Refusal) -> Steps[AlterClientQuotasResponse]:
    """The error once for each entity."""

    def result(entity: QuotaEntity) -> AlterClientQuotasResponse.EntryData:
        return AlterClientQuotasResponse.EntryData(
            error_code=refusal.code,
            error_message=refusal.message,
            entity=[
                AlterClientQuotasResponse.EntityData(entity_type=entity_type, entity_name=name)
                for entity_type, name in entity
            ],
        )

    entities = (
        quota_entity((each.entity_type, each.entity_name) for each in entry.entity)
        for entry in request.entries
    )
    return AlterClientQuotasResponse(entries=(yield from refuse_each_once(entities, result)))


API = Api(
    key=ApiKey.ALTER_CLIENT_QUOTAS,
    bounds=ITEMS,
    broker=FORWARDED,
    controller=submitted(Operation.ALTER_CONFIGS),
    refuse=refuse,
)
