"""The table of APIs: the name, versions, header versions and message classes of each API key.

A look-up loads no message. A message class is loaded when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from kafkaproto.generated.api_keys import ApiKey as ApiKey
from kafkaproto.generated.registry import APIS
from kafkaproto.message import Message
from kafkaproto.messages import message_class


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiInfo:
    """One API as the schemas describe it."""

    key: int
    name: str
    """Name without Request or Response, for example ``CreateTopics``."""
    min_version: int
    max_version: int
    """Highest version that exists, released or not."""
    request_flexible_from: int | None
    response_flexible_from: int | None
    latest_version_unstable: bool
    listeners: tuple[str, ...]
    """Kinds of listeners on which Kafka serves the API: broker, controller."""

    @property
    def max_stable_version(self) -> int:
        """Highest released version. This is the version that a server advertises."""
        return self.max_version - 1 if self.latest_version_unstable else self.max_version

    def request_header_version(self, version: int) -> int:
        """2 (client id and tagged fields) in flexible versions, 1 (client id) in older ones."""
        return 2 if self.request_flexible_from is not None and version >= self.request_flexible_from else 1

    def response_header_version(self, version: int) -> int:
        """1 (tagged fields) in flexible versions, 0 in older ones; always 0 for ApiVersions (KIP-511). A client must be
        able to read that response before it knows which versions the server supports.
        """
        if self.key == ApiKey.API_VERSIONS:
            return 0
        return 1 if self.response_flexible_from is not None and version >= self.response_flexible_from else 0

    @property
    def request_class(self) -> type[Message]:
        """The class of the request."""
        return message_class(f"{self.name}Request")

    @property
    def response_class(self) -> type[Message]:
        """The class of the response."""
        return message_class(f"{self.name}Response")


@cache
def api_by_key(key: int) -> ApiInfo | None:
    """The API of a key; None if there is no such key."""
    entry = APIS.get(key)
    if entry is None:
        return None
    name, min_version, max_version, request_flexible, response_flexible, unstable, listeners = entry
    return ApiInfo(
        key=key,
        name=name,
        min_version=min_version,
        max_version=max_version,
        request_flexible_from=request_flexible,
        response_flexible_from=response_flexible,
        latest_version_unstable=unstable,
        listeners=listeners,
    )


def api_keys() -> list[int]:
    """Every API key, ascending."""
    return list(APIS)
