"""What it takes a broker to take batches of records of several kinds: processor time for a batch.

A broker looks at all records before it stores them. Of two releases, or of two kinds of records, the difference of
these numbers is what that costs. Processor time says it even if other programs want the processors too; of several
rounds the one that took least counts.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

from bench import _raw_clients
from bench._data_servers import Servers
from bench._parts import Measurements
from kafkaproto.records.batch import NewRecord, build_batch
from kafkaproto.records.compression import Compression

ROUNDS = 8
BATCHES = 8
"""Different ones, sent in turn."""
SIZES = ((100, 16_384), (1_000, 131_072), (100, 131_072))
"""Of records and of batches, in bytes."""
SPAN_MS = 3
"""Between the first and the last record of a batch: what is sent as fast as it can be."""
WARM_BATCHES = 20


def record_checks(servers: Servers, folder: Path, megabytes: int) -> Measurements:
    """Records of one size without keys, and records of other sizes with keys, in each compression."""
    found: Measurements = {}
    for codec in Compression:
        for size, batch_bytes in SIZES:
            for is_alike in (True, False):
                kind = "of one size" if is_alike else "of any size"
                name = f"{codec.name.lower()}, {size} B {kind} in {batch_bytes} B"
                batches = [_batch(size, batch_bytes, codec, seed, is_alike) for seed in range(BATCHES)]
                topic = f"checks-{codec}-{size}-{batch_bytes}-{is_alike}"
                servers.create(topic, 1)
                frames = [_raw_clients.produce_frame(topic, 0, each, -1) for each in batches]
                number = max(WARM_BATCHES, megabytes * 1_000_000 // (ROUNDS * batch_bytes))
                _raw_clients.write_frames(servers.address, frames, WARM_BATCHES)
                taken = []
                for _ in range(ROUNDS):
                    before = servers.cpu_s()
                    _raw_clients.write_frames(servers.address, frames, number)
                    taken.append((servers.cpu_s() - before) / number)
                found[f"{name}: CPU us a batch"] = min(taken) * 1e6
    return found


def _batch(size: int, batch_bytes: int, codec: int, seed: int, is_alike: bool) -> bytes:
    rng = random.Random(seed)
    # Compresses to a half or a third, as texts do.
    words = [rng.randbytes(rng.randrange(3, 9)).hex().encode() for _ in range(300)]
    text = b" ".join(rng.choices(words, k=3 * size + 10_000))
    count, now_ms = batch_bytes // size, int(time.time() * 1000)
    records = []
    for index in range(count):
        length = size if is_alike else rng.randrange(size // 2, size * 3 // 2)
        begin = rng.randrange(len(text) - length)
        key = None if is_alike else b"user-%d" % rng.randrange(10_000)
        value = text[begin : begin + length]
        records.append(NewRecord(key, value, timestamp_ms=now_ms + index * SPAN_MS // count))
    return build_batch(records, base_offset=0, timestamp_ms=now_ms, compression=codec)
