"""Mutated real messages at the decoders: they are read or refused, nothing else, and cost what was sent."""

from __future__ import annotations

import random
import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto import api
from kafkaproto.connection import ClientConnection, ServerConnection
from kafkaproto.errors import RemoteProtocolError, UnsupportedVersionError
from kafkaproto.frame import NEED_DATA
from tests.fuzz.support.golden_requests import GOLDEN_REQUESTS
from tests.fuzz.support.mutations import mutate
from tests.fuzz.support.targets import check_refusal, check_stable, decode_request
from tests.messages.support.random_messages import random_message, versions_of

GOLDEN = list(GOLDEN_REQUESTS.values())
INFOS = [info for key in api.api_keys() if (info := api.api_by_key(key)) is not None]
seeds = st.integers(0, 2**64 - 1)
infos = st.sampled_from(INFOS)


@given(frame=st.sampled_from(GOLDEN), seed=seeds)
def test_mutated_requests_of_stock_nodes_are_read_or_refused(frame: bytes, seed: int) -> None:
    decode_request(mutate(frame, random.Random(seed), others=GOLDEN))


@given(info=infos, seed=seeds)
def test_mutated_random_requests_of_every_api_are_read_or_refused(info: api.ApiInfo, seed: int) -> None:
    rng = random.Random(seed)
    version = rng.choice(versions_of(info.request_class))
    tags = b"\0" if info.request_header_version(version) == 2 else b""
    body = random_message(info.request_class, version, rng).encode(version)
    frame = struct.pack(">hhih", info.key, version, 1, -1) + tags + body
    assert decode_request(frame) is not None
    decode_request(mutate(frame, rng, others=GOLDEN))


@given(info=infos, seed=seeds)
def test_mutated_random_responses_of_every_api_are_read_or_refused(info: api.ApiInfo, seed: int) -> None:
    rng = random.Random(seed)
    version = rng.choice(versions_of(info.response_class))
    body = random_message(info.response_class, version, rng).encode(version)
    mutated = mutate(body, rng, others=GOLDEN)
    try:
        message, end = info.response_class.decode(mutated, version)
    except RemoteProtocolError as error:
        check_refusal(error, len(mutated))
    else:
        assert end <= len(mutated)
        check_stable(message, version)


@given(frame=st.binary(max_size=200))
def test_garbage_is_read_or_refused(frame: bytes) -> None:
    decode_request(frame)


@given(info=infos, version=st.integers(-2, 20), body=st.binary(max_size=200))
def test_garbage_behind_a_good_header_is_read_or_refused(
    info: api.ApiInfo, version: int, body: bytes
) -> None:
    decode_request(struct.pack(">hhih", info.key, version, 1, -1) + body)


@given(stream=st.lists(st.sampled_from(GOLDEN), min_size=1, max_size=4), seed=seeds)
def test_a_mutated_stream_ends_a_server_connection_or_waits_for_more(stream: list[bytes], seed: int) -> None:
    rng = random.Random(seed)
    framed = b"".join(struct.pack(">i", len(frame)) + frame for frame in stream)
    connection = ServerConnection(
        lambda key: (0, 20) if key in range(100) else None, max_request_size=1 << 20
    )
    connection.receive(mutate(framed, rng, others=GOLDEN))
    try:
        while connection.next_event() is not NEED_DATA:
            pass
    except RemoteProtocolError:
        return
    assert connection.buffered_bytes < 1 << 20


@given(seed=seeds)
def test_a_mutated_response_ends_a_client_connection_or_is_taken(seed: int) -> None:
    rng = random.Random(seed)
    info = api.api_by_key(18)
    assert info is not None
    version = rng.choice((0, 3, 4))
    body = random_message(info.response_class, version, rng).encode(version)
    connection = ClientConnection(client_id=None)
    frame = mutate(struct.pack(">i", 0) + body, rng, others=GOLDEN)
    connection.receive(struct.pack(">i", len(frame)) + frame if frame else b"")
    try:
        connection.next_event()
    except RemoteProtocolError:
        return


FOUND = {
    # Kafka reads any mark that is not negative as "present"; here a struct of an empty name is refused after
    # it.
    "a present nullable struct marked with 0": "004b 0000 00000001 ffff 00 01 00000000 00 00 00000000 00",
}
"""Frames that once got more out of a decoder than a message or a refusal."""


@pytest.mark.parametrize("name", FOUND)
def test_what_fuzzing_once_found_is_read_or_refused(name: str) -> None:
    decode_request(bytes.fromhex(FOUND[name]))


CLAIMS = {
    "the largest compact count": b"\xff\xff\xff\xff\x0f",
    "a compact count of a billion": b"\x81\x94\xeb\xdc\x03",
    "the largest count": b"\x7f\xff\xff\xff",
    "a count of a billion": b"\x3b\x9a\xca\x00",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_counts_that_no_frame_could_hold_allocate_nothing(claim: str) -> None:
    """The claim stands at every position of the body, so every list, string and tag section meets it once."""
    for info in INFOS:
        # Loaded and warmed up before anything is measured.
        for version in (info.min_version, info.max_version):
            decode_claims(info, version, CLAIMS[claim])
    tracemalloc.start()
    try:
        for info in INFOS:
            for version in (info.min_version, info.max_version):
                decode_claims(info, version, CLAIMS[claim])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500_000


def decode_claims(info: api.ApiInfo, version: int, claim: bytes) -> None:
    good = random_message(info.request_class, version, random.Random(7)).encode(version)[:300]
    for position in range(0, len(good), max(1, len(good) // 20)):
        try:
            info.request_class.decode(good[:position] + claim + good[position:], version)
        except (RemoteProtocolError, UnsupportedVersionError):
            continue
