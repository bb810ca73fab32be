"""SCRAM (RFC 5802): the keys that a server stores instead of a user's password, and their limits (KIP-554, KIP-900).

Apache Kafka: ``ScramFormatter`` and ``ScramMechanism``.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

# Kafka's limits: RFC 7677 asks for at least 4096.
MIN_ITERATIONS = 4096
MAX_ITERATIONS = 16384
SALT_BYTES = 24
"""Length of a salt that this server makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """One of the two SCRAM mechanisms."""

    number: int
    """As on the wire and in records."""
    hash_name: str

    def salted_password(self, password: str, salt: bytes, iterations: int) -> bytes:
        return hashlib.pbkdf2_hmac(self.hash_name, password.encode(), salt, iterations)

    def stored_key(self, salted_password: bytes) -> bytes:
        """RFC 5802's StoredKey, by which the server recognizes a client that has the password."""
        # The stored key is a hash of the client's, so who reads the log cannot log in.
        client_key = hmac.digest(salted_password, b"Client Key", self.hash_name)
        return hashlib.new(self.hash_name, client_key).digest()

    def server_key(self, salted_password: bytes) -> bytes:
        """RFC 5802's ServerKey, by which the client recognizes a server that has its credential."""
        return hmac.digest(salted_password, b"Server Key", self.hash_name)


MECHANISMS: Mapping[str, Mechanism] = {
    "SCRAM-SHA-256": Mechanism(number=1, hash_name="sha256"),
    "SCRAM-SHA-512": Mechanism(number=2, hash_name="sha512"),
}
# Records and requests have the number, SASL the name.
MECHANISMS_BY_NUMBER: Mapping[int, Mechanism] = {each.number: each for each in MECHANISMS.values()}
