"""``--add-scram``: makes the record of a user's SCRAM credential from a command line argument (RFC 5802, KIP-900).

The argument is ``SCRAM-SHA-256=[name=alice,password=secret]`` or ``SCRAM-SHA-512=[...]``, with ``iterations`` (4096 to
16384, default 4096), ``salt`` (base64, default random), and ``saltedpassword`` (base64, needs the salt) in place of
``password``. Values may be in double quotes. The password itself is not stored.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping

from kafkaproto.messages import UserScramCredentialRecord
from kafkaproto_server.metadata.security.scram import MAX_ITERATIONS, MECHANISMS, MIN_ITERATIONS, SALT_BYTES

_KEYS = ("name", "password", "iterations", "salt", "saltedpassword")


def parse_scram_argument(argument: str, random_bytes: Callable[[int], bytes]) -> UserScramCredentialRecord:
    """The record for one ``--add-scram`` argument; ``random_bytes`` makes a salt. Raises ValueError."""
    name, equals, body = argument.partition("=")
    if not equals:
        raise ValueError(f"Failed to find equals sign in SCRAM argument '{argument}'")
    mechanism = MECHANISMS.get(name)
    if mechanism is None:
        known = " and ".join(MECHANISMS)
        raise ValueError(f"The add-scram mechanism {name} is not supported; {known} are.")
    values = _parse_values(body)
    if not values.get("name"):
        raise ValueError("You must supply 'name' to add-scram")
    iterations = _iterations(values, name)
    salt = _base64(values, "salt")
    salted_password = _base64(values, "saltedpassword")
    if salted_password is not None:
        if salt is None:
            raise ValueError("You must supply 'salt' with 'saltedpassword' to add-scram")
    elif "password" not in values:
        raise ValueError("You must supply one of 'password' or 'saltedpassword' to add-scram")
    else:
        salt = salt or random_bytes(SALT_BYTES)
        salted_password = mechanism.salted_password(values["password"], salt, iterations)
    return UserScramCredentialRecord(
        name=values["name"],
        mechanism=mechanism.number,
        salt=salt,
        stored_key=mechanism.stored_key(salted_password),
        server_key=mechanism.server_key(salted_password),
        iterations=iterations,
    )


def _parse_values(body: str) -> dict[str, str]:
    if not (body.startswith("[") and body.endswith("]")):
        raise ValueError(f"Expected SCRAM configurations in brackets, [name=...,password=...], not '{body}'")
    values: dict[str, str] = {}
    for part in body[1:-1].split(","):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals:
            # Do not print the part itself: it may be half of a password.
            raise ValueError("A SCRAM configuration has no equals sign; the form is key=value,key=value")
        if key not in _KEYS:
            raise ValueError(f"Unknown SCRAM configurations: {key}; known are {', '.join(_KEYS)}")
        values[key] = re.sub(r'^"(.*)"$', r"\1", value)
    return values


def _iterations(values: Mapping[str, str], mechanism_name: str) -> int:
    text = values.get("iterations", str(MIN_ITERATIONS))
    if re.fullmatch(r"[0-9]{1,9}", text) is None or not MIN_ITERATIONS <= int(text) <= MAX_ITERATIONS:
        raise ValueError(
            f"The 'iterations' value must be >= {MIN_ITERATIONS} and <= {MAX_ITERATIONS} for add-scram using "
            f"{mechanism_name}, it is {text}"
        )
    return int(text)


def _base64(values: Mapping[str, str], key: str) -> bytes | None:
    text = values.get(key)
    if text is None:
        return None
    try:
        decoded = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"The '{key}' value of add-scram is not base64: {error}") from error
    if not decoded:
        raise ValueError(f"The '{key}' value of add-scram is empty")
    return decoded
