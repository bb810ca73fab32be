"""Our schemas against the ones inside Kafka's jars, and the comparison itself against planted differences."""

import copy
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from compat.parity import schemas
from compat.parity.jars import ROOT, jars_directory, release
from compat.parity.schemas import Difference, compare, parse, read_folder, read_jars

SCHEMA = """
// A comment, with a "quote" in it.
{
  "apiKey": 7, "type": "request", "name": "SampleRequest", "listeners": ["broker"],
  "validVersions": "0-2", "flexibleVersions": "2+", // and one at the end
  "fields": [
    { "name": "Url", "type": "string", "versions": "0+", "default": "http://a", "about": "Theirs." },
    { "name": "Parts", "type": "[]Part", "versions": "0+", "fields": [
      { "name": "Index", "type": "int32", "versions": "0+", "default": 1 },
      { "name": "Size", "type": "int32", "versions": "1+", "ignorable": true }
    ]}
  ],
  "commonStructs": [
    { "name": "Shared", "versions": "0+", "fields": [
      { "name": "Id", "type": "uuid", "versions": "0+" }
    ]}
  ]
}
"""


def ours() -> dict[str, Any]:
    """A copy of the sample that a test may change."""
    return copy.deepcopy(dict(parse(SCHEMA)))


def differences(changed: dict[str, Any]) -> list[Difference]:
    """What the comparison says of the sample against a changed copy of it."""
    return compare({"SampleRequest": parse(SCHEMA)}, {"SampleRequest": changed}).differences


@pytest.mark.jvm
@pytest.mark.slow
def test_every_fact_of_every_message_is_that_of_the_release() -> None:
    report = compare(read_jars(jars_directory()), read_folder(ROOT / "messages"))
    assert report.differences == []
    assert report.missing == []
    assert report.extra == []
    assert report.messages >= 280
    assert report.facts >= 9_000


def abouts(node: object) -> Iterator[str]:
    """Every `about` text in a schema, without what does not make another sentence of it."""
    if isinstance(node, Mapping):
        if "about" in node:
            yield node["about"].lower().rstrip(".")
        for value in node.values():
            yield from abouts(value)
    elif isinstance(node, list):
        for value in node:
            yield from abouts(value)


@pytest.mark.jvm
@pytest.mark.slow
def test_no_about_text_is_that_of_the_release() -> None:
    ours = {about for message in read_folder(ROOT / "messages").values() for about in abouts(message)}
    theirs = {about for message in read_jars(jars_directory()).values() for about in abouts(message)}
    assert len(ours) > 100
    assert ours.isdisjoint(theirs)


def test_the_same_schema_has_no_difference_and_its_facts_are_counted() -> None:
    report = compare({"SampleRequest": parse(SCHEMA)}, {"SampleRequest": ours()})
    assert report.is_clean
    assert report.messages == 1
    # The message's own facts and the order of its two lists of members; Url; Parts and the order of its
    # fields; Index; Size; the common struct and the order of its fields; Id.
    assert report.facts == (6 + 2) + 4 + (3 + 1) + 4 + 4 + (2 + 1) + 3


def test_about_texts_comments_and_layout_are_no_facts() -> None:
    changed = ours()
    changed["fields"][0]["about"] = "Ours."
    changed["fields"][1]["about"] = "Ours too."
    assert differences(parse(json.dumps(changed, indent=7))) == []  # type: ignore[arg-type]


def test_a_comment_sign_inside_a_string_is_kept() -> None:
    assert parse(SCHEMA)["fields"][0]["default"] == "http://a"


def test_a_changed_fact_of_a_nested_field_is_named_with_its_path() -> None:
    changed = ours()
    changed["fields"][1]["fields"][1]["versions"] = "2+"
    assert differences(changed) == [
        Difference(path="SampleRequest.Parts.Size: versions", theirs='"1+"', ours='"2+"')
    ]


def test_a_lost_fact_and_an_added_fact_are_both_found() -> None:
    changed = ours()
    del changed["fields"][1]["fields"][1]["ignorable"]
    changed["fields"][1]["fields"][0]["mapKey"] = True
    assert [str(difference) for difference in differences(changed)] == [
        "SampleRequest.Parts.Index: mapKey: Kafka has nothing, we have true",
        "SampleRequest.Parts.Size: ignorable: Kafka has true, we have nothing",
    ]


@pytest.mark.parametrize("value", ["1", True, 1.0, None])
def test_a_value_of_another_json_type_differs(value: object) -> None:
    changed = ours()
    changed["fields"][1]["fields"][0]["default"] = value
    assert [difference.path for difference in differences(changed)] == ["SampleRequest.Parts.Index: default"]


def test_fields_in_another_order_differ() -> None:
    changed = ours()
    changed["fields"][1]["fields"].reverse()
    assert [difference.path for difference in differences(changed)] == [
        "SampleRequest.Parts: names and order of fields"
    ]


def test_a_change_in_a_common_struct_is_found() -> None:
    changed = ours()
    changed["commonStructs"][0]["fields"][0]["type"] = "string"
    assert [difference.path for difference in differences(changed)] == ["SampleRequest.Shared.Id: type"]


def test_a_struct_that_lost_its_fields_differs() -> None:
    changed = ours()
    del changed["fields"][1]["fields"]
    assert [difference.ours for difference in differences(changed)] == ["nothing"]


def test_a_missing_and_an_extra_message_are_named() -> None:
    report = compare({"A": ours(), "B": ours()}, {"B": ours(), "C": ours()})
    assert report.missing == ["A"]
    assert report.extra == ["C"]
    assert report.messages == 1
    assert not report.is_clean


def test_comparing_nothing_is_not_clean() -> None:
    assert not compare({}, {}).is_clean


def make_jars(folder: Path, content: str) -> Path:
    """A folder that looks like one with the release's jars, whose clients jar holds one schema."""
    with zipfile.ZipFile(folder / f"kafka-clients-{release()}.jar", "w") as jar:
        jar.writestr("common/message/SampleRequest.json", content)
        jar.writestr("org/apache/Sample.class", b"\xca\xfe")
    return folder


def test_schemas_are_read_out_of_jars(tmp_path: Path) -> None:
    assert read_jars(make_jars(tmp_path, SCHEMA)) == {"SampleRequest": parse(SCHEMA)}


def test_a_file_that_is_no_schema_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"clients-.*\.jar: common/message/SampleRequest\.json: not a message"
    ):
        read_jars(make_jars(tmp_path, "{}"))


def test_two_files_with_the_same_message_are_refused(tmp_path: Path) -> None:
    (tmp_path / "One.json").write_text(SCHEMA)
    (tmp_path / "Two.json").write_text(SCHEMA)
    with pytest.raises(ValueError, match=r"Two\.json: a second message named SampleRequest"):
        read_folder(tmp_path)


def test_the_command_fails_where_there_are_no_jars(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert schemas.main([str(tmp_path)]) == 2
    assert f"kafka-clients-{release()}.jar is missing" in capsys.readouterr().err


def test_the_command_prints_what_differs_and_the_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert schemas.main([str(make_jars(tmp_path, SCHEMA))]) == 1
    printed = capsys.readouterr().out
    assert "missing here: SampleRequest\n" in printed
    assert "not in Kafka: VoteRequest\n" in printed
    assert f"Kafka {release()}: 0 messages compared, 0 facts compared, 0 differences, 1 missing" in printed
