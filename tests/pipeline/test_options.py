"""Options: what is understood, and that a mistake names option, value and what is allowed."""

from __future__ import annotations

import pytest

from kafkaproto.log import MAX_OFFSET
from kafkaproto_pipeline.options import AsOf, OptionError, SourceOptions, check_for_stream, parse_options
from kafkaproto_pipeline.views.schema import ViewError


def test_defaults() -> None:
    assert parse_options({"path": "/data"}) == SourceOptions(paths=("/data",))


def test_every_option_is_understood_in_any_case() -> None:
    given = {
        "PATH": "/a, /b/*",
        "view": "typed",
        "columns": "offset, PartitionRecord.leader",
        "recordtypes": "PartitionRecord",
        "startoffset": "5",
        "endOffset": "9",
        "startTimestamp": "2026-11-21T14:03:00Z",
        "endTimestamp": "1795270980001",
        "includeSnapshots": "TRUE",
        "replicas": "One",
        "highWatermark": "7",
        "mode": "failfast",
        "splitBytes": "4096",
        "onMissingOffsets": "snapshot",
        "startingOffset": "LATEST",
        "maxRecordsPerBatch": "100",
    }
    assert parse_options(given) == SourceOptions(
        paths=("/a", "/b/*"),
        view="typed",
        columns=("offset", "PartitionRecord.leader"),
        record_types=("PartitionRecord",),
        start_offset=5,
        end_offset=9,
        start_timestamp_ms=1795269780000,
        end_timestamp_ms=1795270980001,
        include_snapshots=True,
        replicas="one",
        high_watermark=7,
        mode="FAILFAST",
        split_bytes=4096,
        on_missing_offsets="snapshot",
        starting_offset="latest",
        max_records_per_batch=100,
    )


def test_all_there_is_may_be_called_committed() -> None:
    assert parse_options({"path": "/a", "highWatermark": "latest"}).high_watermark == MAX_OFFSET


def test_a_list_of_paths_is_taken_as_it_is() -> None:
    assert parse_options({"paths": '["/a,b", "/c"]'}).paths == ("/a,b", "/c")


def test_a_live_quorum_takes_the_place_of_a_path() -> None:
    options = parse_options({"bootstrap.controllers": "a:1,[::1]:2"})
    assert options.bootstrap_controllers == (("a", 1), ("::1", 2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("latest", AsOf()),
        ("12", AsOf(offset=12)),
        ("1970-01-01T00:00:01.5", AsOf(timestamp_ms=1500)),
        ("1970-01-01T01:00:00+01:00", AsOf(timestamp_ms=0)),
    ],
)
def test_as_of(text: str, expected: AsOf) -> None:
    assert parse_options({"path": "/a", "asOf": text}).as_of == expected


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("startOffset", "-1", "an offset"),
        ("startOffset", "9223372036854775808", "an offset"),
        ("endOffset", "x", "an offset"),
        ("highWatermark", "all", "latest or an offset"),
        ("endOffset", "٣", "an offset"),
        ("asOf", "yesterday", "latest, an offset"),
        ("startTimestamp", "14:03", "ISO-8601"),
        ("endTimestamp", "", "ISO-8601"),
        ("includeSnapshots", "yes", "true or false"),
        ("replicas", "two", "one of all, one"),
        ("mode", "LAX", "one of PERMISSIVE, DROPMALFORMED, FAILFAST"),
        ("splitBytes", "1023", "1024 to 2147483647"),
        ("maxRecordsPerBatch", "0", "1 to 2147483647"),
        ("onMissingOffsets", "ignore", "one of snapshot, skip, fail"),
        ("startingOffset", "first", "earliest, latest or an offset"),
        ("columns", "a,,b", "a list of names"),
        ("paths", '[""]', "a JSON array of paths"),
        ("bootstrap.controllers", "host", "host:port"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(name: str, text: str, allowed: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_options({"path": "/a", name: text})
    assert f"option {name!r} is {text!r}; allowed is {allowed}" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "neither is given"),
        ({"path": "/a", "bootstrap.controllers": "a:1"}, "not both"),
        ({"path": "/a", "asOf": "5", "endOffset": "4"}, "'endOffset' cannot be given beside it"),
        ({"path": "/a", "startOffset": "5", "endOffset": "4"}, "'endOffset' is 4, allowed is"),
        (
            {"path": "/a", "onMissingOffsets": "skip", "replicas": "one"},
            "which is for reads of each replica's own",
        ),
        ({"path": "/a", "onMissingOffsets": "skip", "asOf": "5"}, "which is for reads of each replica's own"),
        ({"path": "/a", "heder": "x"}, "there is no option 'heder'; options are path, bootstrap.controllers"),
    ],
)
def test_options_that_do_not_go_together(given: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_options(given)


def test_names_of_views_record_types_and_columns_are_checked() -> None:
    for name in ("view", "recordTypes", "columns"):
        with pytest.raises(ViewError, match="'Nothing'"):
            parse_options({"path": "/a", name: "Nothing"})


@pytest.mark.parametrize("name", ["asOf", "startOffset", "endOffset", "includeSnapshots"])
def test_a_stream_has_options_of_its_own(name: str) -> None:
    check_for_stream(parse_options({"path": "/a", "startingOffset": "5", "startTimestamp": "5"}))
    text = "true" if name == "includeSnapshots" else "5"
    with pytest.raises(OptionError, match=f"option '{name}' is for batch reads; a stream begins at"):
        check_for_stream(parse_options({"path": "/a", name: text}))


def test_a_stream_has_no_state_and_skips_nothing() -> None:
    with pytest.raises(OptionError, match="option 'onMissingOffsets' is 'skip', which is for batch reads"):
        check_for_stream(parse_options({"path": "/a", "onMissingOffsets": "skip"}))
    with pytest.raises(OptionError, match="view 'state' is for batch reads"):
        check_for_stream(parse_options({"path": "/a", "view": "state"}))


@pytest.mark.parametrize("name", ["owner", "option.view"])
def test_a_table_of_sql_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(OptionError, match="make a temporary view"):
        parse_options({"path": "/x", name: "root"})
