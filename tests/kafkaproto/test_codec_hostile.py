"""Bad bytes: whatever a decoder is fed, only RemoteProtocolError escapes, and memory follows the input.

Each error must name the message, a field path and a byte within the input; the generated decoder and the slow one must
agree on what is bad.
"""

from __future__ import annotations

import random
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from kafkaproto.errors import RemoteProtocolError
from kafkaproto.interpret import decode_slowly
from kafkaproto.message import Message
from kafkaproto.messages import (
    ApiVersionsRequest,
    CreateTopicsRequest,
    FetchRequest,
    ListGroupsRequest,
    MetadataRequest,
    MetadataResponse,
    VoteRequest,
)
from kafkaproto.schema import FieldSchema, StructSchema, within
from tests.messages.support.random_messages import all_message_classes, random_message, versions_of

SMALL = 120
"""Bytes up to which a message is taken for a test that goes through it byte by byte."""
MUTATIONS = 60
"""Random changes a version."""
MEMORY_PER_BYTE = 320
"""Bytes that reading one byte may take at most: an element of one byte becomes an object with its attributes."""
MEMORY_AT_LEAST = 16 * 1024
"""Bytes that reading may take however short the input is: error, traceback, small objects."""
HUGE = (b"\xff\xff\xff\xff\x0f", b"\x7f\xff\xff\xff", b"\x7f\xff")
"""The largest compact length, int32 and int16."""
NEGATIVE = (b"\x00", b"\x80\x00\x00\x00", b"\x80\x00", b"\xff\xfe")
"""The compact length of null, the smallest int32 and int16, and -2."""


def sample_versions(kind: type[Message]) -> list[int]:
    """Lowest, highest and first flexible version."""
    found = {kind.MIN_VERSION, kind.MAX_VERSION}
    if kind.FLEXIBLE_FROM is not None:
        found.add(max(kind.MIN_VERSION, kind.FLEXIBLE_FROM))
    return sorted(found)


def small_message(kind: type[Message], version: int) -> bytes:
    """A random message of a size that can be gone through byte by byte; of several, the largest that is small."""
    rng = random.Random(zlib.crc32(f"hostile {kind.NAME} {version}".encode()))
    found: list[bytes] = sorted(
        (random_message(kind, version, rng).encode(version) for _ in range(16)), key=len
    )
    return next((encoded for encoded in reversed(found) if len(encoded) <= SMALL), found[0])


def check_refusal(error: RemoteProtocolError, kind: type[Message], size: int) -> None:
    """Whether an error says where it is."""
    assert error.where is not None
    assert error.where == kind.NAME or error.where.startswith(f"{kind.NAME}.")
    assert error.offset is not None
    assert 0 <= error.offset <= size
    assert error.reason


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_a_message_cut_off_anywhere_is_refused(kind: type[Message]) -> None:
    for version in sample_versions(kind):
        encoded = small_message(kind, version)
        for size in range(len(encoded)):
            with pytest.raises(RemoteProtocolError) as caught:
                kind.decode(encoded[:size], version)
            check_refusal(caught.value, kind, size)
        whole = memoryview(b"\x00" * 5 + encoded)
        with pytest.raises(RemoteProtocolError) as caught:
            kind.decode(whole, version, len(whole) + 1)
        assert caught.value.offset == len(whole) + 1


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_changed_bytes_are_refused_or_read_alike_by_both_decoders(kind: type[Message]) -> None:
    schema = kind.schema()
    refused = 0
    for version in versions_of(kind):
        rng = random.Random(zlib.crc32(f"mutated {kind.NAME} {version}".encode()))
        encoded = small_message(kind, version)
        for _ in range(MUTATIONS):
            changed = mutated(encoded, rng)
            slowly = outcome(partial(decode_slowly, schema, changed, version, 0))
            fast = outcome(partial(kind.decode, changed, version))
            if isinstance(fast, RemoteProtocolError):
                check_refusal(fast, kind, len(changed))
                assert (fast.where, fast.offset) == (slowly.where, slowly.offset)
                refused += 1
            else:
                # Floats that are no number are equal to nothing, not even to themselves.
                assert fast == slowly or "nan" in repr(fast)
    assert refused or kind().encode(kind.MAX_VERSION) in (b"", b"\x00")


def outcome(decode: Callable[[], Any]) -> Any:
    """What a decoder says: message and end, or its error."""
    try:
        return decode()
    except RemoteProtocolError as error:
        return error


def mutated(encoded: bytes, rng: random.Random) -> bytes:
    """The bytes with one to three changes: other bytes, a run of high bits, a piece missing or twice."""
    data = bytearray(encoded)
    for _ in range(rng.randint(1, 3)):
        position = rng.randrange(len(data) + 1)
        match rng.randrange(5):
            case 0:
                data[position : position + 1] = rng.randbytes(1)
            case 1:
                data[position : position + 4] = rng.choice((*HUGE, *NEGATIVE))
            case 2:
                data[position : position + 1] = bytes((rng.choice((0, 1, 2, 127, 128, 255)),))
            case 3:
                del data[position : position + rng.randint(1, 4)]
            case 4:
                data[position:position] = data[position : position + rng.randint(1, 8)]
    return bytes(data)


# -- lengths that are not true -------------------------------------------------------------------------------------


def memory_of(kind: type[Message], version: int, changed: bytes) -> int:
    """Bytes at the peak of decoding what is refused, or happens to be a message."""
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    try:
        kind.decode(changed, version)
    except RemoteProtocolError as error:
        check_refusal(error, kind, len(changed))
    _, peak = tracemalloc.get_traced_memory()
    return peak - before


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_huge_lengths_anywhere_take_no_memory(kind: type[Message]) -> None:
    version = kind.MAX_VERSION
    encoded = small_message(kind, version)
    kind.decode(encoded, version)
    kind.schema()
    limit = MEMORY_AT_LEAST + MEMORY_PER_BYTE * len(encoded)
    tracemalloc.start()
    try:
        for position in range(len(encoded)):
            for length in HUGE:
                changed = encoded[:position] + length + encoded[position + len(length) :]
                taken = memory_of(kind, version, changed)
                if taken >= limit:
                    # What other threads of the test runner allocate is counted too, but not each time.
                    taken = min(memory_of(kind, version, changed) for _ in range(3))
                assert taken < limit, f"{length.hex()} at {position}"
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("kind", "version", "frame", "where"),
    [
        (MetadataRequest, 0, b"\x3b\x9a\xca\x00" + bytes(6), "MetadataRequest.topics"),
        (MetadataRequest, 12, b"\x81\x94\xeb\xdc\x03" + bytes(5), "MetadataRequest.topics"),
        (FetchRequest, 4, bytes(17) + b"\x7f\xff\xff\xff", "FetchRequest.topics"),
        (VoteRequest, 0, b"\xff\xff\xff\xff\x0f" + bytes(5), "VoteRequest.cluster_id"),
        (VoteRequest, 0, b"\x80\x80\x80\x80\x10" + bytes(5), "VoteRequest.cluster_id"),
        (VoteRequest, 0, b"\x00\x01\x81\x94\xeb\xdc\x03" + bytes(3), "VoteRequest.<tagged fields>"),
        (VoteRequest, 0, b"\x00\x01\x01\x07\x81\x94\xeb\xdc\x03", "VoteRequest.<tagged fields>"),
    ],
)
def test_a_billion_elements_in_ten_bytes(kind: type[Message], version: int, frame: bytes, where: str) -> None:
    kind.schema()
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError) as caught:
            kind.decode(frame, version)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.where == where
    assert peak < MEMORY_AT_LEAST


@pytest.mark.parametrize(
    ("kind", "version", "frame", "reason", "where", "offset"),
    [
        (ApiVersionsRequest, 3, b"\x00", "may not be", "ApiVersionsRequest.client_software_name", 0),
        (ListGroupsRequest, 5, b"\x02\x03a\xff\x01", "not UTF-8", "ListGroupsRequest.states_filter[0]", 3),
        (ListGroupsRequest, 5, b"\x02\x81\x80\x02", "longer than 32767", "ListGroupsRequest.states_filter[0]", 1),
        (MetadataRequest, 8, b"\x00\x00\x00\x01\xff\xff", "is null", "MetadataRequest.topics[0].name", 4),
        (MetadataRequest, 8, b"\x00\x00\x00\x01\x00\x05ab", "claims 5 bytes, 2", "MetadataRequest.topics[0].name", 4),
        (MetadataRequest, 0, b"\xff\xff\xff\xfe", "is null", "MetadataRequest.topics", 0),
        (CreateTopicsRequest, 5, b"\x00", "is null", "CreateTopicsRequest.topics", 0),
        (ListGroupsRequest, 5, b"\x01", "end inside", "ListGroupsRequest.types_filter", 1),
    ],
)  # fmt: skip
def test_an_error_says_what_is_wrong_and_where(
    kind: type[Message], version: int, frame: bytes, reason: str, where: str, offset: int
) -> None:
    with pytest.raises(RemoteProtocolError, match=reason) as caught:
        kind.decode(frame, version)
    assert (caught.value.where, caught.value.offset) == (where, offset)


def test_offsets_count_from_the_start_of_the_buffer() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        MetadataRequest.decode(memoryview(bytes(100) + b"\x00\x00\x00\x01\xff\xff"), 8, 100)
    assert caught.value.offset == 104


# -- what is large for its bytes -----------------------------------------------------------------------------------


def arrays(
    struct: StructSchema, version: int, chain: tuple[FieldSchema, ...] = ()
) -> list[tuple[FieldSchema, ...]]:
    """Every way from a message to one of its arrays, at a version."""
    found = []
    for field in struct.fields:
        if within(version, field.versions):
            if field.array:
                found.append((*chain, field))
            if field.struct is not None:
                found += arrays(field.struct, version, (*chain, field))
    return found


def filled(struct: StructSchema, chain: tuple[FieldSchema, ...], count: int) -> Any:
    """A struct of defaults whose array at the end of the chain has so many elements."""
    values: dict[str, Any] = {field.attribute: b"" for field in struct.fields if field.type == "records"}
    if chain:
        field, *rest = chain
        inner: Any = {"string": "", "bytes": b"", "uuid": bytes(16), "bool": False, "float64": 0.0}.get(
            field.type, 0
        )
        if field.struct is not None:
            inner = filled(field.struct, tuple(rest), count)
        values[field.attribute] = [inner] * (1 if rest else count) if field.array else inner
    return struct.python_class(**values)


@pytest.mark.parametrize("kind", all_message_classes(), ids=lambda kind: kind.NAME)
def test_what_is_read_is_no_larger_than_its_bytes_explain(kind: type[Message]) -> None:
    root = kind.schema().root
    count = 300
    for version in sample_versions(kind):
        for chain in arrays(root, version):
            encoded = filled(root, chain, count).encode(version)
            # An element of no bytes would let a short message claim many of them.
            assert len(encoded) >= count
            kind.decode(encoded, version)
            tracemalloc.start()
            try:
                message, _ = kind.decode(encoded, version)
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert peak < MEMORY_AT_LEAST + MEMORY_PER_BYTE * len(encoded)
            del message


def test_reading_costs_in_proportion_to_the_bytes() -> None:
    topic = MetadataResponse.Topic(name="t", partitions=[MetadataResponse.Partition()] * 3)
    few, many = (MetadataResponse(topics=[topic] * count).encode(12) for count in (100, 1600))
    assert calls_of_decoding(many) <= 16 * calls_of_decoding(few)
    # Bad bytes at the end of a long message cost a second reading, and no more than that.
    assert calls_of_decoding(many[:-1]) <= 16 * calls_of_decoding(few[:-1])


def calls_of_decoding(encoded: bytes) -> int:
    """How many functions reading calls, built-in ones included."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    MetadataResponse.schema()
    sys.setprofile(count)
    try:
        MetadataResponse.decode(encoded, 12)
    except RemoteProtocolError:
        pass
    finally:
        sys.setprofile(None)
    return calls
