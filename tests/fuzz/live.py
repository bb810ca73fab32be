"""Mutated requests at a running server: whatever it does to their connections, it goes on serving others.

python -m tests.fuzz.live HOST PORT [SEED] [COUNT]
"""

from __future__ import annotations

import random
import socket
import struct
import sys
from dataclasses import dataclass

from kafkaproto import api
from kafkaproto.client import Client
from kafkaproto.messages import ApiVersionsRequest
from tests.fuzz.support.golden_requests import GOLDEN_REQUESTS
from tests.fuzz.support.mutations import mutate
from tests.fuzz.support.raft_requests import QuorumFacts, raft_request, request_frame
from tests.messages.support.random_messages import random_message

CHECK_EVERY = 20
"""Hostile connections between two looks at whether the server still answers."""

_LINGER_SECONDS = 0.02
_SPARED_APIS = frozenset({1, 59, 64})
"""Fetch and FetchSnapshot may wait as long as they ask to: sent as recorded, with random waits left out.
UnregisterBroker may name the node itself, which is then out of the cluster, as it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveReport:
    """What was done to a server that survived it."""

    sent: int
    """Hostile connections, each with one or several mutated requests."""
    answered: int
    """Of these, how many got any byte back."""
    checks: int
    """How often another connection found the server answering."""


def fuzz_live(
    host: str,
    port: int,
    seed: int,
    count: int,
    *,
    timeout_ms: int = 10_000,
    quorum: tuple[QuorumFacts, int] | None = None,
) -> LiveReport:
    """Open ``count`` connections with mutated requests, of the apis that the server says it serves.

    ``quorum`` is the quorum whose voter the server is, and its node id there: half of the requests are then such as
    its voters send to each other.

    Raises AssertionError, which names the seed and the number of the connection, as soon as the server does
    not answer ApiVersions in time on a connection that was there from the start, and on a new one.
    """
    answered = checks = 0
    with Client.connect(host, port, timeout_ms=timeout_ms) as witness:
        served = {
            entry.api_key: (entry.min_version, entry.max_version) for entry in witness.api_versions.api_keys
        }
        for number in range(count):
            rng = random.Random(f"{seed} {number}")
            try:
                answered += _attack(host, port, _hostile_bytes(served, quorum, rng), rng)
                if number % CHECK_EVERY and number != count - 1:
                    continue
                witness.send(ApiVersionsRequest(client_software_name="fuzz", client_software_version="1"))
                Client.connect(host, port, timeout_ms=timeout_ms).close()
            except OSError as error:
                raise AssertionError(
                    f"seed {seed}: not serving after connection {number}: {error}"
                ) from error
            checks += 1
    return LiveReport(sent=count, answered=answered, checks=checks)


def _hostile_bytes(
    served: dict[int, tuple[int, int]], quorum: tuple[QuorumFacts, int] | None, rng: random.Random
) -> bytes:
    """One to four framed requests, at least the last of them mutated; now and then the frame itself lies."""
    golden = list(GOLDEN_REQUESTS.values())
    stream = b""
    requests = rng.choice((1, 1, 1, 2, 4))
    for number in range(requests):
        if rng.random() >= 0.7:
            frame = rng.choice(golden)
        elif quorum is not None and rng.random() < 0.7:
            version, message = raft_request(*quorum, rng)
            frame = request_frame(message, version, rng.getrandbits(31))
        else:
            frame = _good_request(served, rng)
        if number == requests - 1 or rng.random() < 0.5:
            frame = mutate(frame, rng, others=golden)
        size = len(frame) if rng.random() < 0.9 else rng.choice((0, -1, 2**31 - 1, 100 << 20, len(frame) * 2))
        stream += struct.pack(">i", size) + frame
    return stream


def _good_request(served: dict[int, tuple[int, int]], rng: random.Random) -> bytes:
    """A random request of an api and version that the server serves and we have a schema for."""
    key = rng.choice([key for key in sorted(served) if key not in _SPARED_APIS])
    info = api.api_by_key(key)
    assert info is not None
    version = rng.randint(max(info.min_version, served[key][0]), min(info.max_version, served[key][1]))
    tags = b"\0" if info.request_header_version(version) == 2 else b""
    body: bytes = random_message(info.request_class, version, rng).encode(version)
    return struct.pack(">hhih", key, version, rng.getrandbits(31), -1) + tags + body


def _attack(host: str, port: int, data: bytes, rng: random.Random) -> bool:
    """Send, look for an answer for a moment, leave in one of the ways there are; whether anything came
    back."""
    with socket.create_connection((host, port), timeout=10) as stream:
        try:
            cut = rng.randrange(len(data) + 1)
            stream.sendall(data[:cut])
            stream.sendall(data[cut:])
            if rng.random() < 0.5:
                stream.shutdown(socket.SHUT_WR)
            stream.settimeout(_LINGER_SECONDS)
            return bool(stream.recv(65_536))
        except OSError:
            # Whatever the server does to this connection, at whatever moment, is its right.
            return False
        finally:
            if rng.random() < 0.3:
                # A reset instead of an orderly close.
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def main(arguments: list[str]) -> None:
    """Print the report of one run."""
    host, port, seed, count = (*arguments, *("1", "1000")[len(arguments) - 2 :])
    print(fuzz_live(host, int(port), int(seed), int(count)))


if __name__ == "__main__":
    main(sys.argv[1:])
