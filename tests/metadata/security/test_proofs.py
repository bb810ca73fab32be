"""SCRAM keys and tokens' HMACs are those that others compute.

Tests: `metadata.security.delegation_tokens`, `metadata.security.scram`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from itertools import islice

import pytest
from immutables import Map

from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.metadata.image.entries import DelegationToken
from kafkaproto_server.metadata.security import delegation_tokens
from kafkaproto_server.metadata.security.delegation_tokens import (
    TokenIndex,
    is_expired,
    may_renew,
    token_hmac,
    token_owner,
)
from kafkaproto_server.metadata.security.scram import MECHANISMS, MECHANISMS_BY_NUMBER

TOKEN = DelegationToken(
    owner="User:alice",
    requester="User:admin",
    renewers=("User:bob",),
    issue_timestamp_ms=0,
    max_timestamp_ms=1000,
    expiration_timestamp_ms=500,
)


def test_the_keys_prove_what_rfc_7677_says_of_its_example() -> None:
    """RFC 7677 section 3: the proofs of user "user" with password "pencil"."""
    mechanism = MECHANISMS["SCRAM-SHA-256"]
    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    auth_message = (
        f"n=user,r=rOprNGfwEbeRWgbNEkqO,r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r={nonce}"
    ).encode()
    salted_password = mechanism.salted_password("pencil", salt, 4096)
    signature = hmac.digest(mechanism.server_key(salted_password), auth_message, "sha256")
    assert base64.b64encode(signature) == b"6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
    stored_key = mechanism.stored_key(salted_password)
    proof = base64.b64decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    client_signature = hmac.digest(stored_key, auth_message, "sha256")
    client_key = bytes(a ^ b for a, b in zip(proof, client_signature, strict=True))
    assert hashlib.sha256(client_key).digest() == stored_key


def test_both_mechanisms_are_known_by_their_numbers() -> None:
    assert {number: each.hash_name for number, each in MECHANISMS_BY_NUMBER.items()} == {
        1: "sha256",
        2: "sha512",
    }
    for each in MECHANISMS.values():
        size = hashlib.new(each.hash_name).digest_size
        assert len(each.stored_key(b"x")) == len(each.server_key(b"x")) == size


def test_a_tokens_hmac_is_hmac_sha512_over_its_id() -> None:
    """RFC 4231, test case 2."""
    assert token_hmac("Jefe", "what do ya want for nothing?").hex() == (
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    )


def test_a_token_is_found_by_its_hmac_alone() -> None:
    tokens = Map({"a": TOKEN, "b": TOKEN})
    index, right = TokenIndex("secret"), token_hmac("secret", "b")
    assert run_to_end(index.find(tokens, right)) == "b"
    assert run_to_end(TokenIndex("other").find(tokens, right)) is None
    assert run_to_end(index.find(tokens, right[:-1])) is None
    assert run_to_end(index.find(tokens, b"")) is None


def test_a_search_that_was_given_up_halfway_loses_no_token() -> None:
    tokens = Map({f"token-{number}": TOKEN for number in range(20)})
    index = TokenIndex("secret")
    for _ in islice(index.find(tokens, b"nobody's"), 5):
        pass
    for token_id in tokens:
        assert run_to_end(index.find(tokens, token_hmac("secret", token_id))) == token_id


@pytest.mark.parametrize(
    ("principal", "may"),
    [("User:alice", True), ("User:admin", True), ("User:bob", True), ("User:eve", False), ("", False)],
)
def test_owner_requester_and_renewers_manage_a_token(principal: str, may: bool) -> None:
    assert may_renew(TOKEN, principal) is may


def test_a_token_lives_until_its_end_or_its_longest_life() -> None:
    assert not is_expired(TOKEN, 500)
    assert is_expired(TOKEN, 501)
    short = DelegationToken(
        owner="User:a",
        requester="User:a",
        renewers=(),
        issue_timestamp_ms=0,
        max_timestamp_ms=100,
        expiration_timestamp_ms=500,
    )
    assert is_expired(short, 101)


def test_a_token_is_for_who_is_named_or_else_for_who_asks() -> None:
    assert token_owner("User", "bob", "User:alice") == "User:bob"
    assert token_owner(None, "bob", "User:alice") == ":bob"
    assert token_owner("User", "", "User:alice") == "User:alice"
    assert token_owner(None, None, "User:alice") == "User:alice"


def test_each_token_costs_one_hmac_however_often_tokens_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []

    def counted(secret_key: str, token_id: str) -> bytes:
        made.append(token_id)
        return token_hmac(secret_key, token_id)

    monkeypatch.setattr(delegation_tokens, "token_hmac", counted)
    index = TokenIndex("secret")
    tokens = Map({f"token-{number}": TOKEN for number in range(50)})
    for _ in range(3):
        for number in (0, 7, 49):
            assert (
                run_to_end(index.find(tokens, token_hmac("secret", f"token-{number}"))) == f"token-{number}"
            )
        assert run_to_end(index.find(tokens, b"nobody's")) is None
        # A renewal makes another map of the same tokens.
        tokens = tokens.set("token-7", TOKEN)
    tokens = tokens.set("later", TOKEN).delete("token-0")
    assert run_to_end(index.find(tokens, token_hmac("secret", "later"))) == "later"
    assert run_to_end(index.find(tokens, token_hmac("secret", "token-0"))) is None
    assert len(made) == 51


def test_tokens_that_are_gone_are_not_remembered_for_ever() -> None:
    index = TokenIndex("secret")
    number = delegation_tokens.MAX_FORGOTTEN
    for start in range(0, 3 * number, number):
        tokens = Map({f"token-{start + each}": TOKEN for each in range(number)})
        assert run_to_end(index.find(tokens, token_hmac("secret", f"token-{start}"))) == f"token-{start}"
    assert len(index._ids) == len(index._indexed) <= 3 * number
    assert run_to_end(index.find(Map({"only": TOKEN}), token_hmac("secret", "only"))) == "only"
    assert len(index._ids) == 1
