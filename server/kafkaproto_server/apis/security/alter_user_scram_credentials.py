"""AlterUserScramCredentials (51), v0; controller listeners, forwarded by brokers (KIP-554).

The active controller decides on each user separately (`core.controller.commands.alter_user_scram_credentials`).
"""

from __future__ import annotations

from itertools import chain

from kafkaproto.api import ApiKey
from kafkaproto.messages import AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse
from kafkaproto_server.apis.api import FORWARDED, Api, submitted
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.refusals import Refusal, refuse_each_once

_Result = AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult


def refuse(
    request: AlterUserScramCredentialsRequest, refusal: Refusal
) -> Steps[AlterUserScramCredentialsResponse]:
    """The error once for each user."""
    deleted = (each.name for each in request.deletions)
    changed = (each.name for each in request.upsertions)
    results = yield from refuse_each_once(
        chain(deleted, changed),
        lambda name: _Result(user=name, error_code=refusal.code, error_message=refusal.message),
    )
    return AlterUserScramCredentialsResponse(results=results)


API = Api(
    key=ApiKey.ALTER_USER_SCRAM_CREDENTIALS,
    bounds=ITEMS,
    broker=FORWARDED,
    controller=submitted(Operation.ALTER),
    refuse=refuse,
)
