"""CRC-32C."""

import tracemalloc

from kafkaproto.records.crc32c import crc32c


def test_check_value_of_the_polynomial() -> None:
    # The value that catalogues of checksums give for these nine digits.
    assert crc32c(b"123456789") == 0xE3069283


def test_goes_on_from_the_bytes_before() -> None:
    assert crc32c(b"6789", crc32c(b"12345")) == 0xE3069283


def test_reads_any_buffer_without_copying_it() -> None:
    data = bytearray(b"-" + b"123456789" * 1_000_000)
    tracemalloc.start()
    try:
        checksum = crc32c(memoryview(data)[1:])
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
    assert checksum == crc32c(b"123456789" * 1_000_000)
