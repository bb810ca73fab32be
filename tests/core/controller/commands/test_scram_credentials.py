"""AlterUserScramCredentials: what is recorded of a password, and what is refused.

Tests: `apis.security.alter_user_scram_credentials`, `core.controller.commands.alter_user_scram_credentials`.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse
from kafkaproto_server.metadata.image.entries import ScramCredential
from tests.core.controller.support.harness import Harness

SHA_256, SHA_512 = 1, 2
SALTED = bytes(range(32))


def upsertion(**fields: Any) -> AlterUserScramCredentialsRequest.ScramCredentialUpsertion:
    given = {
        "name": "alice",
        "mechanism": SHA_256,
        "iterations": 4096,
        "salt": b"salt",
        "salted_password": SALTED,
        **fields,
    }
    return AlterUserScramCredentialsRequest.ScramCredentialUpsertion(**given)


def deletion(
    name: str = "alice", mechanism: int = SHA_256
) -> AlterUserScramCredentialsRequest.ScramCredentialDeletion:
    return AlterUserScramCredentialsRequest.ScramCredentialDeletion(name=name, mechanism=mechanism)


def alter(harness: Harness, *alterations: Any) -> dict[str, tuple[int, str | None]]:
    """Error code and message by user."""
    request = AlterUserScramCredentialsRequest(
        deletions=[
            each
            for each in alterations
            if isinstance(each, AlterUserScramCredentialsRequest.ScramCredentialDeletion)
        ],
        upsertions=[
            each
            for each in alterations
            if isinstance(each, AlterUserScramCredentialsRequest.ScramCredentialUpsertion)
        ],
    )
    response: AlterUserScramCredentialsResponse = harness.call(request)
    found = {each.user: (each.error_code, each.error_message) for each in response.results}
    assert len(found) == len(response.results)
    return found


def test_what_a_server_needs_to_check_the_password_is_recorded_and_no_more() -> None:
    harness = Harness()
    assert alter(harness, upsertion(iterations=16384)) == {"alice": (0, None)}
    client_key = hmac.new(SALTED, b"Client Key", "sha256").digest()
    assert dict(harness.image.scram_credentials) == {
        (SHA_256, "alice"): ScramCredential(
            salt=b"salt",
            stored_key=hashlib.sha256(client_key).digest(),
            server_key=hmac.new(SALTED, b"Server Key", "sha256").digest(),
            iterations=16384,
        )
    }
    assert SALTED not in b"".join(harness.appended_values())


def test_a_user_can_have_both_mechanisms_and_lose_one() -> None:
    harness = Harness()
    alter(harness, upsertion())
    alter(harness, upsertion(mechanism=SHA_512))
    assert set(harness.image.scram_credentials) == {(SHA_256, "alice"), (SHA_512, "alice")}
    assert alter(harness, deletion()) == {"alice": (0, None)}
    assert set(harness.image.scram_credentials) == {(SHA_512, "alice")}


BAD: list[tuple[Any, str, ErrorCode, str]] = [
    (upsertion(name=""), "", ErrorCode.UNACCEPTABLE_CREDENTIAL, "The user name is empty."),
    (deletion(name=""), "", ErrorCode.UNACCEPTABLE_CREDENTIAL, "The user name is empty."),
    *(
        (
            bad,
            "alice",
            ErrorCode.UNSUPPORTED_SASL_MECHANISM,
            f"Mechanism {bad.mechanism} of user 'alice' is none of 1 (SCRAM-SHA-256), 2 (SCRAM-SHA-512).",
        )
        for bad in (upsertion(mechanism=0), upsertion(mechanism=3), deletion(mechanism=-1))
    ),
    *(
        (
            upsertion(iterations=number),
            "alice",
            ErrorCode.UNACCEPTABLE_CREDENTIAL,
            f"iterations={number} of user 'alice' must be 4096 to 16384.",
        )
        for number in (-1, 0, 4095, 16385)
    ),
    (
        upsertion(salt=b""),
        "alice",
        ErrorCode.UNACCEPTABLE_CREDENTIAL,
        "The salt or the salted password of user 'alice' is empty.",
    ),
    (
        upsertion(salted_password=b""),
        "alice",
        ErrorCode.UNACCEPTABLE_CREDENTIAL,
        "The salt or the salted password of user 'alice' is empty.",
    ),
    (
        deletion(),
        "alice",
        ErrorCode.RESOURCE_NOT_FOUND,
        "User 'alice' has no credential of mechanism 1.",
    ),
]


@pytest.mark.parametrize(("bad", "user", "code", "message"), BAD, ids=repr)
def test_what_is_refused_leaves_other_users_alone(bad: Any, user: str, code: ErrorCode, message: str) -> None:
    harness = Harness()
    assert alter(harness, bad, upsertion(name="bob")) == {user: (code, message), "bob": (0, None)}
    assert set(harness.image.scram_credentials) == {(SHA_256, "bob")}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (upsertion(), upsertion()),
        (upsertion(), upsertion(mechanism=SHA_512)),
        (deletion(), upsertion(mechanism=SHA_512)),
        (deletion(), deletion()),
    ],
    ids=repr,
)
def test_a_user_who_is_named_twice_is_not_changed(first: Any, second: Any) -> None:
    harness = Harness()
    alter(harness, upsertion())
    start = harness.next_offset
    answered = alter(harness, first, second)
    assert answered == {
        "alice": (ErrorCode.DUPLICATE_RESOURCE, "User 'alice' is named twice in the request.")
    }
    assert harness.records(start) == []


def test_of_a_user_who_is_named_twice_the_first_mistake_counts() -> None:
    harness = Harness()
    assert alter(harness, deletion(""), upsertion(name=""))[""][0] == ErrorCode.UNACCEPTABLE_CREDENTIAL
    answered = alter(harness, upsertion(), upsertion(iterations=1), upsertion())
    assert answered["alice"][0] == ErrorCode.DUPLICATE_RESOURCE
    answered = alter(harness, upsertion(iterations=1), upsertion(), upsertion())
    assert answered["alice"][0] == ErrorCode.UNACCEPTABLE_CREDENTIAL
    assert dict(harness.image.scram_credentials) == {}


@pytest.mark.parametrize(("metadata_version", "code"), [(10, ErrorCode.UNSUPPORTED_VERSION), (11, 0)])
def test_credentials_came_with_a_metadata_version(metadata_version: int, code: int) -> None:
    harness = Harness(metadata_version=metadata_version, features=())
    assert alter(harness, upsertion())["alice"][0] == code


def test_a_standby_says_so_for_each_user() -> None:
    harness = Harness(active=False)
    request = AlterUserScramCredentialsRequest(
        deletions=[deletion(), deletion("bob")], upsertions=[upsertion()]
    )
    response = harness.answer(harness.send(request))
    assert [(each.user, each.error_code) for each in response.results] == [
        ("alice", ErrorCode.NOT_CONTROLLER),
        ("bob", ErrorCode.NOT_CONTROLLER),
    ]
