"""AlterUserScramCredentials (51, v0): sets and deletes the SCRAM credentials of users (KIP-554).

The client sends the salted password. The record holds only the keys with which a server checks it; nobody can log in
with these. A request can change one credential per user. Each user gets one result, independently of the others. The
salt and the salted password must not be empty, which Apache Kafka does not check.
"""

from __future__ import annotations

from typing import TypeAlias

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    RemoveUserScramCredentialRecord,
    UserScramCredentialRecord,
)
from kafkaproto_server.base.error_texts import quoted, without_frames
from kafkaproto_server.base.later import Steps
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.metadata.security.scram import (
    MAX_ITERATIONS,
    MECHANISMS,
    MECHANISMS_BY_NUMBER,
    MIN_ITERATIONS,
)

SCRAM_LEVEL = 11
"""metadata.version 3.5-IV2: credentials are recorded."""

_Deletion: TypeAlias = AlterUserScramCredentialsRequest.ScramCredentialDeletion
_Upsertion: TypeAlias = AlterUserScramCredentialsRequest.ScramCredentialUpsertion


def alter_scram_credentials(
    situation: Situation, request: AlterUserScramCredentialsRequest
) -> Steps[CommandResult]:
    """Change the credentials of the users without an error."""
    # Deletions first, as in Kafka: a user that is in both lists is named twice in any case.
    alterations: tuple[_Deletion | _Upsertion, ...] = (*request.deletions, *request.upsertions)
    errors: dict[str, ApiError] = {}
    records: dict[str, Message] = {}
    for each in alterations:
        name = each.name
        if name in errors:
            # A user's result has the first error found.
            yield
            continue
        try:
            if name in records:
                # Even with another mechanism, as in Apache Kafka.
                # The first mention is taken back, too: a user's credentials change as the request
                # says, or not at all.
                del records[name]
                raise ApiError(
                    ErrorCode.DUPLICATE_RESOURCE, f"User {quoted(name)} is named twice in the request."
                )
            records[name] = _record(situation, each)
        except ApiError as error:
            errors[name] = without_frames(error)
        yield
    results = {}
    for each in alterations:
        if each.name not in results:
            results[each.name] = _result(each.name, errors.get(each.name))
        yield
    response = AlterUserScramCredentialsResponse(results=list(results.values()))
    return CommandResult(response=response, records=tuple(records.values()))


def _record(situation: Situation, alteration: _Deletion | _Upsertion) -> Message:
    """The record of the change; raises ApiError if the requested credential is invalid."""
    name, number = alteration.name, alteration.mechanism
    if situation.image.metadata_version < SCRAM_LEVEL:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, "SCRAM needs metadata.version 3.5-IV2 or later.")
    if not name:
        raise _unacceptable("The user name is empty.")
    mechanism = MECHANISMS_BY_NUMBER.get(number)
    if mechanism is None:
        known = ", ".join(f"{each.number} ({name})" for name, each in MECHANISMS.items())
        raise ApiError(
            ErrorCode.UNSUPPORTED_SASL_MECHANISM,
            f"Mechanism {number} of user {quoted(name)} is none of {known}.",
        )
    if isinstance(alteration, _Deletion):
        # Replay stops at the removal of a credential that is not there.
        if (number, name) not in situation.image.scram_credentials:
            raise ApiError(
                ErrorCode.RESOURCE_NOT_FOUND,
                f"User {quoted(name)} has no credential of mechanism {number}.",
            )
        return RemoveUserScramCredentialRecord(name=name, mechanism=number)
    # Few iterations make a stolen record easy to break. Many cost each client time at each login.
    # Both limits are Kafka's.
    if not MIN_ITERATIONS <= alteration.iterations <= MAX_ITERATIONS:
        raise _unacceptable(
            f"iterations={alteration.iterations} of user {quoted(name)} must be"
            f" {MIN_ITERATIONS} to {MAX_ITERATIONS}."
        )
    # With an empty salted password, anybody can compute the keys.
    if not alteration.salt or not alteration.salted_password:
        raise _unacceptable(f"The salt or the salted password of user {quoted(name)} is empty.")
    salted_password = bytes(alteration.salted_password)
    return UserScramCredentialRecord(
        name=name,
        mechanism=number,
        salt=alteration.salt,
        # Not the salted password itself: whoever reads the log or a snapshot could log in with it
        # (RFC 5802).
        stored_key=mechanism.stored_key(salted_password),
        server_key=mechanism.server_key(salted_password),
        iterations=alteration.iterations,
    )


def _result(
    name: str, error: ApiError | None
) -> AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult:
    return AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult(
        user=name,
        error_code=ErrorCode.NONE if error is None else error.code,
        error_message=None if error is None else error.message,
    )


def _unacceptable(message: str) -> ApiError:
    return ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, message)
