"""Random records, as hypothesis strategies."""

from __future__ import annotations

from hypothesis import strategies as st

from kafkaproto.records.batch import NewRecord

SMALL_BYTES = st.binary(max_size=300)
HEADERS = st.lists(st.tuples(st.text(max_size=10), st.none() | SMALL_BYTES), max_size=3)
TIMESTAMPS = st.integers(-1, 2**62)
NEW_RECORDS = st.builds(
    NewRecord,
    st.none() | SMALL_BYTES,
    st.none() | SMALL_BYTES,
    st.just(()) | HEADERS,
    st.none() | TIMESTAMPS,
)
RECORD_LISTS = st.lists(NEW_RECORDS, min_size=1, max_size=8)
COMPRESSIONS = st.integers(0, 4)
