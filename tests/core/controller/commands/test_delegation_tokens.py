"""Delegation tokens: created, renewed, expired and removed, and who may do which."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
    ExpireDelegationTokenRequest,
    RemoveDelegationTokenRecord,
    RenewDelegationTokenRequest,
)
from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.core.controller.commands.delegation_tokens import (
    MAX_REMOVED_TOKENS,
    expired_token_records,
)
from kafkaproto_server.core.controller.values.events import CommandContext, CommandReceived
from kafkaproto_server.metadata.image.entries import DelegationToken
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.delegation_tokens import token_hmac
from tests.core.controller.support.harness import TIMESTAMP_MS, Harness

DAY_MS = 86_400_000
SECRET = "a secret"
NOW = TIMESTAMP_MS


class Tokens:
    """A controller with tokens, and requests by anybody to it."""

    def __init__(self, **config: Any) -> None:
        self.harness = Harness(**{"delegation_token_secret_key": SECRET, **config})
        self._next_command_id = 10_000

    def ask(self, principal: str, request: Message, version: int | None = None) -> Any:
        self._next_command_id += 1
        self.harness.handle(
            CommandReceived(
                command_id=self._next_command_id,
                request=request,
                version=type(request).MAX_VERSION if version is None else version,
                context=CommandContext(listener_name="CONTROLLER", principal=principal),
            )
        )
        if self.harness.controller.is_active:
            self.harness.commit()
        response = self.harness.answer(self._next_command_id)
        assert response is not None
        return response

    def create(
        self,
        principal: str = "User:alice",
        *,
        version: int = 3,
        renewers: tuple[str, ...] = (),
        **fields: Any,
    ) -> CreateDelegationTokenResponse:
        request = CreateDelegationTokenRequest(
            renewers=[
                CreateDelegationTokenRequest.CreatableRenewers(principal_type=kind, principal_name=name)
                for kind, _, name in (each.partition(":") for each in renewers)
            ],
            **{"owner_principal_type": None, "owner_principal_name": None, "max_lifetime_ms": -1, **fields},
        )
        response: CreateDelegationTokenResponse = self.ask(principal, request, version)
        return response

    def renew(self, principal: str, hmac: bytes, period_ms: int = -1) -> tuple[int, int]:
        response = self.ask(principal, RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=period_ms))
        return response.error_code, response.expiry_timestamp_ms

    def expire(self, principal: str, hmac: bytes, period_ms: int) -> tuple[int, int]:
        response = self.ask(
            principal, ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=period_ms)
        )
        return response.error_code, response.expiry_timestamp_ms

    def only(self) -> DelegationToken:
        (token,) = self.harness.image.delegation_tokens.values()
        return token


def test_a_token_is_its_owners_for_a_day_and_can_live_for_seven() -> None:
    tokens = Tokens()
    response = tokens.create(renewers=("User:bob", "User:carol"))
    assert response == CreateDelegationTokenResponse(
        error_code=0,
        issue_timestamp_ms=NOW,
        expiry_timestamp_ms=NOW + DAY_MS,
        max_timestamp_ms=NOW + 7 * DAY_MS,
        token_id=response.token_id,
        hmac=token_hmac(SECRET, response.token_id),
    )
    assert dict(tokens.harness.image.delegation_tokens) == {
        response.token_id: DelegationToken(
            owner="User:alice",
            requester="User:alice",
            renewers=("User:bob", "User:carol"),
            issue_timestamp_ms=NOW,
            max_timestamp_ms=NOW + 7 * DAY_MS,
            expiration_timestamp_ms=NOW + DAY_MS,
        )
    }
    assert response.hmac not in b"".join(tokens.harness.appended_values())


def test_tokens_differ() -> None:
    tokens = Tokens()
    assert tokens.create().token_id != tokens.create().token_id


def test_a_token_for_somebody_else_names_both() -> None:
    tokens = Tokens()
    response = tokens.create("User:admin", owner_principal_type="User", owner_principal_name="a:b")
    assert response.error_code == 0
    assert (tokens.only().owner, tokens.only().requester) == ("User:a:b", "User:admin")


@pytest.mark.parametrize(
    ("asked", "lifetime"),
    [(-1, 7 * DAY_MS), (0, 7 * DAY_MS), (5000, 5000), (8 * DAY_MS, 7 * DAY_MS), (2**63 - 1, 7 * DAY_MS)],
)
def test_the_longest_life_is_what_is_asked_within_the_configuration(asked: int, lifetime: int) -> None:
    response = Tokens().create(max_lifetime_ms=asked)
    assert response.max_timestamp_ms == NOW + lifetime
    assert response.expiry_timestamp_ms == NOW + min(lifetime, DAY_MS)


def test_times_end_where_their_field_does() -> None:
    forever = 2**63 - 1
    tokens = Tokens(delegation_token_max_lifetime_ms=forever, delegation_token_expiry_time_ms=forever)
    response = tokens.create()
    assert response.max_timestamp_ms == response.expiry_timestamp_ms == forever


def test_a_renewer_of_another_type_than_user_is_refused() -> None:
    tokens = Tokens()
    for renewer in ("Group:g", ":x"):
        response = tokens.create(renewers=("User:bob", renewer))
        assert response.error_code == ErrorCode.INVALID_PRINCIPAL_TYPE
        assert (response.expiry_timestamp_ms, response.hmac, response.token_id) == (-1, b"", "")
    assert dict(tokens.harness.image.delegation_tokens) == {}


@pytest.mark.parametrize("owner_type", [None, ""])
def test_an_owner_without_a_type_is_refused(owner_type: str | None) -> None:
    tokens = Tokens()
    response = tokens.create(owner_principal_type=owner_type, owner_principal_name="bob")
    assert response.error_code == ErrorCode.INVALID_PRINCIPAL_TYPE
    assert dict(tokens.harness.image.delegation_tokens) == {}


# --- renewal ---


def test_a_token_is_renewed_from_now_on_within_its_longest_life() -> None:
    tokens = Tokens()
    hmac = tokens.create(max_lifetime_ms=3 * DAY_MS).hmac
    tokens.harness.wall_ms += DAY_MS // 2
    now = NOW + DAY_MS // 2
    assert tokens.renew("User:alice", hmac) == (0, now + DAY_MS)
    assert tokens.renew("User:alice", hmac, 1000) == (0, now + 1000)
    assert tokens.only().expiration_timestamp_ms == now + 1000
    assert tokens.renew("User:alice", hmac, 2**63 - 1) == (0, now + DAY_MS)
    for _ in range(3):
        tokens.harness.wall_ms += DAY_MS - 1
        code, expiry = tokens.renew("User:alice", hmac, 0)
    assert (code, expiry) == (ErrorCode.DELEGATION_TOKEN_EXPIRED, -1)
    assert tokens.only().expiration_timestamp_ms == NOW + 3 * DAY_MS


def test_owner_requester_and_renewers_renew_and_expire_and_nobody_else() -> None:
    tokens = Tokens()
    hmac = tokens.create(
        "User:admin", renewers=("User:bob",), owner_principal_type="User", owner_principal_name="alice"
    ).hmac
    for principal in ("User:alice", "User:admin", "User:bob"):
        assert tokens.renew(principal, hmac)[0] == 0
        assert tokens.expire(principal, hmac, 1000)[0] == 0
    mismatch = (ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH, -1)
    for principal in ("User:eve", "Group:alice", "User:Alice"):
        assert tokens.renew(principal, hmac) == mismatch
        assert tokens.expire(principal, hmac, 1000) == mismatch
        assert tokens.expire(principal, hmac, -1) == mismatch


@pytest.mark.parametrize("hmac", [b"", b"x", token_hmac(SECRET, "AAAAAAAAAAAAAAAAAAAAAA")])
def test_an_hmac_of_no_token_finds_none(hmac: bytes) -> None:
    tokens = Tokens()
    tokens.create()
    missing = (ErrorCode.DELEGATION_TOKEN_NOT_FOUND, -1)
    assert tokens.renew("User:alice", hmac) == missing
    assert tokens.expire("User:alice", hmac, -1) == missing


# --- the end ---


@pytest.mark.parametrize("period_ms", [0, 5000, 2**63 - 1])
def test_an_end_is_set_within_the_longest_life(period_ms: int) -> None:
    tokens = Tokens()
    hmac = tokens.create().hmac
    expected = min(NOW + period_ms, NOW + 7 * DAY_MS)
    assert tokens.expire("User:alice", hmac, period_ms) == (0, expected)
    assert tokens.only().expiration_timestamp_ms == expected


@pytest.mark.parametrize("period_ms", [-1, -(2**63)])
def test_a_negative_time_removes_the_token_at_once_even_one_that_has_expired(period_ms: int) -> None:
    tokens = Tokens()
    first, second = tokens.create().hmac, tokens.create().hmac
    assert tokens.expire("User:alice", first, period_ms) == (0, NOW)
    tokens.harness.wall_ms += 2 * DAY_MS
    expired = (ErrorCode.DELEGATION_TOKEN_EXPIRED, -1)
    assert tokens.renew("User:alice", second) == expired
    assert tokens.expire("User:alice", second, 1000) == expired
    assert tokens.expire("User:alice", second, period_ms) == (0, NOW + 2 * DAY_MS)
    assert dict(tokens.harness.image.delegation_tokens) == {}


def test_expired_tokens_are_removed_in_order_a_thousand_at_a_time() -> None:
    def token(end: int) -> DelegationToken:
        return DelegationToken(
            owner="User:a",
            requester="User:a",
            renewers=(),
            issue_timestamp_ms=0,
            max_timestamp_ms=10_000,
            expiration_timestamp_ms=end,
        )

    image = ClusterImage()
    tokens = image.delegation_tokens.update(
        {f"{number:05}": token(100 if number % 2 else 200) for number in range(2 * MAX_REMOVED_TOKENS + 10)}
    )
    image = ClusterImage(delegation_tokens=tokens)
    assert run_to_end(expired_token_records(image, 100)) == []
    due = run_to_end(expired_token_records(image, 101))
    odd = [f"{number:05}" for number in range(1, 2 * MAX_REMOVED_TOKENS, 2)]
    assert due == [RemoveDelegationTokenRecord(token_id=name) for name in odd]
    assert len(run_to_end(expired_token_records(image, 201))) == MAX_REMOVED_TOKENS
    assert len(due) == MAX_REMOVED_TOKENS


def test_the_controller_removes_them_by_itself() -> None:
    tokens = Tokens()
    tokens.create(max_lifetime_ms=1000)
    kept = tokens.create().token_id
    # By the default of delegation.token.expiry.check.interval.ms.
    tokens.harness.advance(3_600_000)
    tokens.harness.commit()
    assert list(tokens.harness.image.delegation_tokens) == [kept]


# --- where there are none ---


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"delegation_token_secret_key": None}, ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED),
        ({"delegation_token_secret_key": ""}, ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED),
        ({"metadata_version": 13, "features": ()}, ErrorCode.UNSUPPORTED_VERSION),
        ({"active": False}, ErrorCode.NOT_CONTROLLER),
    ],
    ids=str,
)
def test_without_a_secret_a_version_or_an_active_controller_there_are_no_tokens(
    config: dict[str, Any], code: ErrorCode
) -> None:
    tokens = Tokens(**config)
    assert tokens.create().error_code == code
    assert tokens.renew("User:alice", b"x") == (code, -1)
    assert tokens.expire("User:alice", b"x", -1) == (code, -1)
    assert dict(tokens.harness.image.delegation_tokens) == {}


def test_tokens_came_with_a_metadata_version() -> None:
    assert Tokens(metadata_version=14, features=()).create().error_code == 0
