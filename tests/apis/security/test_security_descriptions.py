"""What nodes tell of ACLs, quotas, SCRAM credentials and delegation tokens, and to whom.

Tests: `apis.admin.describe_client_quotas`, `apis.security.create_acls`, `apis.security.create_delegation_token`,
`apis.security.delete_acls`, `apis.security.describe_acls`, `apis.security.describe_delegation_token`,
`apis.security.describe_user_scram_credentials`, `apis.security.expire_delegation_token`,
`apis.security.renew_delegation_token`, `apis.security.tokens`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ClientQuotaRecord,
    CreateAclsRequest,
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
    DelegationTokenRecord,
    DeleteAclsRequest,
    DescribeAclsRequest,
    DescribeClientQuotasRequest,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
    DescribeUserScramCredentialsRequest,
    ExpireDelegationTokenRequest,
    RenewDelegationTokenRequest,
    UserScramCredentialRecord,
)
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.base.types import ListenerKind
from kafkaproto_server.metadata.security.acls import Operation, ResourceType
from kafkaproto_server.metadata.security.authorizer import Authorizer
from kafkaproto_server.metadata.security.delegation_tokens import token_hmac
from kafkaproto_server.requests.context import ANONYMOUS, NoResponse
from tests.apis.support.services import Calls, ask, context, image_of, responses_of, services, settled
from tests.metadata.security.support.acl_making import acl, acl_filter, acl_record, authorizer

CONTROLLER = ListenerKind.CONTROLLER
ALL_MAY = authorizer(allow_everyone_if_no_acl_found=True)

# --- ACLs ---

FIELDS: list[dict[str, Any]] = [
    {"resource_name": "u"},
    {"principal": "User:bob", "operation": Operation.WRITE},
    {},
    {"pattern_type": 4},
    {"resource_type": ResourceType.GROUP},
]
ACLS = image_of(acl_record(number.to_bytes(16, "big"), **fields) for number, fields in enumerate(FIELDS, 1))


def describe_acls(version: int = 3, guard: Authorizer | None = ALL_MAY, **fields: Any) -> Any:
    return ask(acl_filter(DescribeAclsRequest, **fields), version, ACLS, authorizer=lambda: guard)


def test_acls_come_by_what_they_are_about_in_order() -> None:
    response = describe_acls()
    assert (response.error_code, response.error_message) == (0, "")
    patterns = [(each.resource_type, each.resource_name, each.pattern_type) for each in response.resources]
    assert patterns == [(2, "t", 3), (2, "t", 4), (2, "u", 3), (3, "t", 3)]
    shown = [
        (each.principal, each.host, each.operation, each.permission_type)
        for each in response.resources[0].acls
    ]
    assert shown == [("User:alice", "*", 3, 3), ("User:bob", "*", 4, 3)]


def test_only_acls_that_the_filter_means_are_told() -> None:
    response = describe_acls(principal_filter="User:bob")
    assert [len(each.acls) for each in response.resources] == [1]
    assert describe_acls(resource_name_filter="none").resources == []


@pytest.mark.parametrize(
    "field", ["resource_type_filter", "pattern_type_filter", "operation", "permission_type"]
)
@pytest.mark.parametrize(("number", "code"), [(-1, 0), (0, ErrorCode.INVALID_REQUEST), (100, 0)])
def test_a_filter_of_another_release_means_nothing_and_one_of_none_is_refused(
    field: str, number: int, code: int
) -> None:
    fields: dict[str, Any] = {field: number}
    response = describe_acls(**fields)
    assert response.error_code == code
    assert (response.error_message == "") is (code == 0)
    assert response.resources == []


def test_without_an_authorizer_there_are_no_acls_on_any_node() -> None:
    response = describe_acls(guard=None)
    assert response.error_code == ErrorCode.SECURITY_DISABLED
    assert "authorizer.class.name" in response.error_message
    calls = Calls()
    creations = CreateAclsRequest(creations=[CreateAclsRequest.AclCreation()] * 2)
    created = ask(creations, 3, ACLS, kind=CONTROLLER, calls=calls)
    assert [each.error_code for each in created.results] == [ErrorCode.SECURITY_DISABLED] * 2
    deletions = DeleteAclsRequest(filters=[DeleteAclsRequest.DeleteAclsFilter()])
    deleted = ask(deletions, 3, ACLS, kind=CONTROLLER, calls=calls)
    assert [each.error_code for each in deleted.filter_results] == [ErrorCode.SECURITY_DISABLED]
    assert calls.submitted == []


# --- quotas ---

ENTITIES: list[dict[str, str | None]] = [
    {"client-id": "c"},
    {"client-id": "c", "user": "a"},
    {"client-id": None, "user": "a"},
    {"ip": None},
    {"ip": "10.0.0.7"},
    {"user": "a"},
    {"user": "b"},
    {"user": None},
]
QUOTAS = image_of(
    ClientQuotaRecord(
        entity=[
            ClientQuotaRecord.EntityData(entity_type=entity_type, entity_name=name)
            for entity_type, name in entity.items()
        ],
        key=key,
        value=value,
    )
    for entity in ENTITIES
    for key, value in (("request_percentage", 2.5), ("producer_byte_rate", 1.0))
)
EXACT, DEFAULT, ANY = range(3)


def describe_quotas(*components: tuple[str, int, str | None], strict: bool = False) -> Any:
    request = DescribeClientQuotasRequest(
        components=[
            DescribeClientQuotasRequest.ComponentData(
                entity_type=entity_type, match_type=match_type, match=name
            )
            for entity_type, match_type, name in components
        ],
        strict=strict,
    )
    return ask(request, 1, QUOTAS)


@pytest.mark.parametrize(
    ("components", "strict", "expected"),
    [
        ([], False, [0, 1, 2, 3, 4, 7, 5, 6]),
        ([], True, []),
        ([("user", EXACT, "a")], False, [1, 2, 5]),
        ([("user", EXACT, "a")], True, [5]),
        ([("user", DEFAULT, None)], False, [7]),
        ([("user", ANY, None)], True, [7, 5, 6]),
        ([("user", ANY, None), ("client-id", ANY, None)], False, [1, 2]),
        ([("user", EXACT, "a"), ("client-id", DEFAULT, None)], False, [2]),
        ([("ip", ANY, None)], False, [3, 4]),
        ([("ip", EXACT, "10.0.0.8")], False, []),
    ],
)
def test_the_entities_that_a_filter_means_come_in_order(
    components: list[tuple[str, int, str | None]], strict: bool, expected: list[int]
) -> None:
    response = describe_quotas(*components, strict=strict)
    assert (response.error_code, response.error_message) == (0, "")
    shown = [{pair.entity_type: pair.entity_name for pair in entry.entity} for entry in response.entries]
    found = [ENTITIES.index(entity) for entity in shown]
    # Within their types the default comes before the named ones.
    by_types = sorted(expected, key=lambda number: _entity_order(ENTITIES[number]))
    assert found == by_types
    for entry in response.entries:
        values = [(value.key, value.value) for value in entry.values]
        assert values == [("producer_byte_rate", 1.0), ("request_percentage", 2.5)]


def _entity_order(entity: dict[str, str | None]) -> list[tuple[str, bool, str]]:
    return [(entity_type, name is not None, name or "") for entity_type, name in sorted(entity.items())]


@pytest.mark.parametrize(
    ("components", "code", "words"),
    [
        ([("", EXACT, "a")], ErrorCode.INVALID_REQUEST, "type of a component is empty"),
        ([("group", EXACT, "a")], ErrorCode.UNSUPPORTED_VERSION, "'group' is none of user, client-id, ip"),
        ([("user", EXACT, "a"), ("user", ANY, None)], ErrorCode.INVALID_REQUEST, "'user' has two components"),
        ([("user", EXACT, None)], ErrorCode.INVALID_REQUEST, "match type 0 of 'user' needs a name"),
        ([("user", DEFAULT, "a")], ErrorCode.INVALID_REQUEST, "match type 1 of 'user' takes no name"),
        ([("user", ANY, "a")], ErrorCode.INVALID_REQUEST, "match type 2 of 'user' takes no name"),
        ([("user", 3, None)], ErrorCode.INVALID_REQUEST, "match type 3 of 'user' is unknown"),
        ([("user", -1, None)], ErrorCode.INVALID_REQUEST, "match type -1 of 'user' is unknown"),
        ([("ip", ANY, None), ("user", ANY, None)], ErrorCode.INVALID_REQUEST, "ip cannot be combined"),
    ],
)
def test_a_filter_that_means_no_quotas_is_refused(
    components: list[tuple[str, int, str | None]], code: ErrorCode, words: str
) -> None:
    response = describe_quotas(*components)
    assert (response.error_code, response.entries) == (code, None)
    assert words in response.error_message


# --- SCRAM ---

CREDENTIALS = image_of(
    UserScramCredentialRecord(
        name=name, mechanism=mechanism, salt=b"s", stored_key=b"k", server_key=b"k", iterations=iterations
    )
    for name, mechanism, iterations in (("bob", 2, 4096), ("alice", 2, 5000), ("alice", 1, 8192))
)


def describe_users(*names: str, users: Any = None) -> list[tuple[str, int, list[tuple[int, int]]]]:
    asked = [DescribeUserScramCredentialsRequest.UserName(name=name) for name in names]
    request = DescribeUserScramCredentialsRequest(users=asked or users)
    response = ask(request, 0, CREDENTIALS, kind=CONTROLLER)
    assert (response.error_code, response.error_message) == (0, "")
    for each in response.results:
        assert (each.error_message == "") is (each.error_code == 0)
    return [
        (each.user, each.error_code, [(info.mechanism, info.iterations) for info in each.credential_infos])
        for each in response.results
    ]


@pytest.mark.parametrize("users", [None, []])
def test_all_users_are_told_where_none_is_named(users: Any) -> None:
    assert describe_users(users=users) == [
        ("alice", 0, [(1, 8192), (2, 5000)]),
        ("bob", 0, [(2, 4096)]),
    ]


def test_a_user_without_credentials_or_named_twice_is_an_error_of_its_own() -> None:
    assert describe_users("bob", "carol", "alice", "alice", "") == [
        ("bob", 0, [(2, 4096)]),
        ("carol", ErrorCode.RESOURCE_NOT_FOUND, []),
        ("alice", ErrorCode.DUPLICATE_RESOURCE, []),
        ("", ErrorCode.RESOURCE_NOT_FOUND, []),
    ]


# --- tokens ---

SECRET = {"delegation.token.secret.key": "secret"}
TOKENS = image_of(
    DelegationTokenRecord(
        owner=f"User:{owner}",
        requester="User:admin",
        renewers=[f"User:{each}" for each in renewers],
        issue_timestamp=1,
        max_timestamp=3,
        expiration_timestamp=2,
        token_id=token_id,
    )
    for token_id, owner, renewers in (("t2", "bob", ["alice"]), ("t1", "alice", []), ("t3", "carol", []))
)


def describe_tokens(
    principal: str = "User:alice",
    *,
    owners: list[str] | None = None,
    guard: Authorizer | None = None,
    static_config: dict[str, str] = SECRET,
    token_authenticated: bool = False,
    version: int = 3,
) -> DescribeDelegationTokenResponse:
    named = None
    if owners is not None:
        named = [
            DescribeDelegationTokenRequest.DescribeDelegationTokenOwner(
                principal_type=kind, principal_name=name
            )
            for kind, _, name in (owner.partition(":") for owner in owners)
        ]
    request = DescribeDelegationTokenRequest(owners=named)
    asked = context(request, version, principal=principal, token_authenticated=token_authenticated)
    known = services(TOKENS, authorizer=lambda: guard, static_config=static_config)
    response = settled(dispatch(request, asked, known))
    assert isinstance(response, DescribeDelegationTokenResponse)
    response.encode(version)
    return response


def ids(response: DescribeDelegationTokenResponse) -> list[str]:
    assert response.error_code == 0
    return [token.token_id for token in response.tokens]


def test_without_an_authorizer_everybody_knows_of_every_token() -> None:
    assert ids(describe_tokens("User:eve")) == ["t1", "t2", "t3"]


def test_a_token_is_told_whole() -> None:
    (token,) = describe_tokens(owners=["User:bob"]).tokens
    expected = DescribeDelegationTokenResponse.DescribedDelegationToken(
        principal_type="User",
        principal_name="bob",
        token_requester_principal_type="User",
        token_requester_principal_name="admin",
        issue_timestamp=1,
        expiry_timestamp=2,
        max_timestamp=3,
        token_id="t2",
        hmac=token_hmac("secret", "t2"),
        renewers=[
            DescribeDelegationTokenResponse.DescribedDelegationTokenRenewer(
                principal_type="User", principal_name="alice"
            )
        ],
    )
    assert token == expected
    (old,) = describe_tokens(owners=["User:bob"], version=2).tokens
    assert old.token_requester_principal_name == ""


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        ("User:alice", ["t1", "t2"]),
        ("User:admin", ["t1", "t2", "t3"]),
        ("User:carol", ["t3"]),
        ("User:eve", []),
    ],
)
def test_an_authorizer_keeps_tokens_to_those_who_have_to_do_with_them(
    principal: str, expected: list[str]
) -> None:
    assert ids(describe_tokens(principal, guard=authorizer())) == expected


def test_acls_let_others_know_of_tokens() -> None:
    of_token = acl(
        resource_type=ResourceType.DELEGATION_TOKEN, resource_name="t3", operation=Operation.DESCRIBE
    )
    of_owner = acl(
        resource_type=ResourceType.USER, resource_name="User:carol", operation=Operation.DESCRIBE_TOKENS
    )
    for entry in (of_token, of_owner):
        assert ids(describe_tokens(guard=authorizer(entry))) == ["t1", "t2", "t3"]


@pytest.mark.parametrize(
    ("owners", "expected"),
    [([], []), (["User:carol"], ["t3"]), (["User:alice"], ["t1", "t2"]), (["Group:alice"], [])],
)
def test_tokens_of_the_owners_that_are_named_are_told(owners: list[str], expected: list[str]) -> None:
    assert ids(describe_tokens(owners=owners)) == expected


def test_tokens_are_for_nodes_with_a_secret() -> None:
    for config in ({}, {"delegation.token.secret.key": ""}):
        response = describe_tokens(static_config=config)
        assert response.error_code == ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED


UNPROVEN = [{"principal": ANONYMOUS}, {"token_authenticated": True}]


@pytest.mark.parametrize("who", UNPROVEN, ids=str)
def test_tokens_are_not_told_to_who_has_not_proven_a_name_otherwise(who: dict[str, Any]) -> None:
    response = describe_tokens(**who)
    assert response.error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    assert response.tokens == []


TOKEN_REQUESTS = [
    CreateDelegationTokenRequest(),
    RenewDelegationTokenRequest(hmac=b"x"),
    ExpireDelegationTokenRequest(hmac=b"x"),
]


def alter_token(request: Message, calls: Calls, guard: Authorizer | None = None, **who: Any) -> Any:
    asked = context(request, 2, kind=CONTROLLER, **who)
    return settled(dispatch(request, asked, services(TOKENS, calls, authorizer=lambda: guard)))


@pytest.mark.parametrize("who", UNPROVEN, ids=str)
@pytest.mark.parametrize("request_", TOKEN_REQUESTS, ids=lambda request: request.NAME)
def test_tokens_are_not_given_to_who_has_not_proven_a_name_otherwise(
    request_: Message, who: dict[str, Any]
) -> None:
    calls = Calls()
    response = alter_token(request_, calls, **who)
    assert response.error_code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    assert response.expiry_timestamp_ms == -1
    assert calls.submitted == []


@pytest.mark.parametrize("request_", TOKEN_REQUESTS, ids=lambda request: request.NAME)
def test_who_has_a_name_may_ask_for_itself_whatever_the_acls(request_: Message) -> None:
    calls = Calls()
    alter_token(request_, calls, authorizer())
    assert [asked for asked, _ in calls.submitted] == [request_]


def test_a_token_for_another_takes_an_acl() -> None:
    request = CreateDelegationTokenRequest(owner_principal_type="User", owner_principal_name="bob")
    calls = Calls()
    denied = alter_token(request, calls, authorizer())
    assert denied.error_code == ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED
    assert calls.submitted == []
    leave = acl(resource_type=ResourceType.USER, resource_name="User:bob", operation=Operation.CREATE_TOKENS)
    alter_token(request, calls, authorizer(leave))
    assert len(calls.submitted) == 1


@pytest.mark.parametrize("owner_type", ["User", "User:ANONYMOUS", ""])
@pytest.mark.parametrize("guard", [None, authorizer()], ids=["no authorizer", "denied"])
def test_an_owner_of_the_longest_name_is_named_in_the_response(
    owner_type: str, guard: Authorizer | None
) -> None:
    request = CreateDelegationTokenRequest(owner_principal_type=owner_type, owner_principal_name="x" * 32_767)
    calls = Calls()
    asked = context(request, 3, kind=CONTROLLER)
    reply = dispatch(request, asked, services(TOKENS, calls, authorizer=lambda: guard))
    if guard is None:
        calls.replies[0].resolve(CreateDelegationTokenResponse(error_code=ErrorCode.INVALID_REQUEST))
        (reply,) = responses_of(reply)
    assert isinstance(reply, CreateDelegationTokenResponse)
    assert reply.error_code in (ErrorCode.INVALID_REQUEST, ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED)
    assert (reply.principal_type, reply.principal_name) == (owner_type, "x" * 32_767)
    reply.encode(3)


def test_if_too_many_wait_for_the_controller_a_token_gets_no_response() -> None:
    request, calls = CreateDelegationTokenRequest(), Calls()
    reply = dispatch(request, context(request, 3, kind=CONTROLLER), services(TOKENS, calls))
    none = NoResponse(reason="many wait for the controller already")
    calls.replies[0].resolve(none)
    assert responses_of(reply) == [none]


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("error", [0, ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED])
def test_a_response_names_owner_and_requester_as_far_as_the_version_has_fields(
    version: int, error: int
) -> None:
    request = CreateDelegationTokenRequest()
    if version == 3:
        request = CreateDelegationTokenRequest(owner_principal_type="User", owner_principal_name="b:ob")
    calls = Calls()
    reply = dispatch(request, context(request, version, kind=CONTROLLER), services(TOKENS, calls))
    calls.replies[0].resolve(CreateDelegationTokenResponse(error_code=error))
    (response,) = responses_of(reply)
    assert isinstance(response, CreateDelegationTokenResponse)
    assert response.error_code == error
    assert (response.principal_type, response.principal_name) == ("User", "b:ob" if version == 3 else "alice")
    assert response.token_requester_principal_name == ("alice" if version == 3 else "")
    response.encode(version)
