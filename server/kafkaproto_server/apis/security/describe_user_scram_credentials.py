"""DescribeUserScramCredentials (50, v0), broker and controller listeners (KIP-554): mechanisms and iterations of users.

The response comes from the node's committed image, and contains nothing with which a client could authenticate. If no
users are named, or the list is null, it has all users with credentials. Apache Kafka's controllers advertise this API
and fail to serve it; ours serve it.
"""

from __future__ import annotations

from collections import Counter

from kafkaproto.api import ApiKey
from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse
from kafkaproto_server.apis.access import Access
from kafkaproto_server.apis.api import Api, Served
from kafkaproto_server.apis.bounds import ITEMS
from kafkaproto_server.apis.ports.services import Services
from kafkaproto_server.base.error_texts import quoted
from kafkaproto_server.base.later import Steps
from kafkaproto_server.metadata.image.sorting import sorted_steps
from kafkaproto_server.metadata.security.acls import Operation
from kafkaproto_server.requests.context import RequestContext

_Result = DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult
_Info = DescribeUserScramCredentialsResponse.CredentialInfo


def handle_describe_scram_credentials(
    request: DescribeUserScramCredentialsRequest, context: RequestContext, services: Services
) -> Steps[DescribeUserScramCredentialsResponse]:
    """Return the credentials of each user. A user that is named several times, or has none, has an error of its own."""
    credentials = services.metadata.image().scram_credentials
    by_user: dict[str, list[_Info]] = {}
    in_order = yield from sorted_steps(list(credentials))
    for mechanism, name in in_order:
        # Never salt or keys: they are enough for an attack on the password (KIP-554).
        iterations = credentials[mechanism, name].iterations
        by_user.setdefault(name, []).append(_Info(mechanism=mechanism, iterations=iterations))
        yield
    times_named: Counter[str] = Counter()
    for user in request.users or ():
        times_named[user.name] += 1
        yield
    if not times_named:
        users = yield from sorted_steps([*by_user])
        times_named.update(dict.fromkeys(users, 1))
    results = []
    for name, times in times_named.items():
        yield
        result = _Result(user=name)
        shown = quoted(name)
        if times > 1:
            result.error_code = ErrorCode.DUPLICATE_RESOURCE
            result.error_message = f"User {shown} is named {times} times."
        elif name not in by_user:
            result.error_code = ErrorCode.RESOURCE_NOT_FOUND
            result.error_message = f"User {shown} has no SCRAM credentials."
        else:
            result.credential_infos = by_user[name]
        results.append(result)
    return DescribeUserScramCredentialsResponse(results=results)


_SERVED = Served(handler=handle_describe_scram_credentials, access=Access(operation=Operation.DESCRIBE))
API = Api(key=ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, bounds=ITEMS, broker=_SERVED, controller=_SERVED)
