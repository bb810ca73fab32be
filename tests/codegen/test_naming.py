"""Names in the generated code: Kafka's words in Python's spelling, and none that is in anybody's way."""

from __future__ import annotations

import builtins
import json
import keyword

import pytest

from codegen import naming
from codegen.model import Field, MessageModel
from codegen.parse import parse_schema


def message(name: str, *structs: str) -> MessageModel:
    """A message with a struct field for each name."""
    fields = [
        {"name": f"F{n}", "type": kind, "versions": "0+", "fields": []} for n, kind in enumerate(structs)
    ]
    document = {
        "type": "data",
        "name": name,
        "validVersions": "0",
        "flexibleVersions": "none",
        "fields": fields,
    }
    return parse_schema(json.dumps(document), "x.json")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("LeaderEpoch", "leader_epoch"),
        ("ISR", "isr"),
        ("IsrNodes", "isr_nodes"),
        ("TopicID", "topic_id"),
        ("KRaftVersionFeature", "kraft_version_feature"),
        ("CurrentKRaftVersion", "current_kraft_version"),
        ("ZkMigrationReady", "zk_migration_ready"),
        ("V3AndBelowTopics", "v3_and_below_topics"),
        ("LastKnownElr", "last_known_elr"),
        ("HTTPServer", "http_server"),
        ("X", "x"),
    ],
)
def test_words_are_parted_by_underscores(name: str, expected: str) -> None:
    assert naming.snake(name) == expected
    assert naming.attribute(name) == expected


@pytest.mark.parametrize("word", ["Class", "From", "Global", "Import", "Is", "None", "In"])
def test_keywords_get_an_underscore_behind(word: str) -> None:
    attribute = naming.attribute(word)
    assert attribute == f"{word.lower()}_" if keyword.iskeyword(word.lower()) else attribute == word.lower()
    assert not keyword.iskeyword(attribute)


@pytest.mark.parametrize(
    "word",
    [
        "Encode",
        "EncodeInto",
        "Decode",
        "Schema",
        "ToJson",
        "FromJson",
        "UnknownTags",
        "Self",
        "Bytes",
        "List",
    ],
)
def test_what_the_message_needs_itself_gets_an_underscore_behind(word: str) -> None:
    assert naming.attribute(word) == f"{naming.snake(word)}_"


@pytest.mark.parametrize(
    "word", ["Buffer", "Position", "Message", "Count", "Length", "End", "Tags", "Out", "View"]
)
def test_local_variables_stay_out_of_the_way_of_the_code_around_them(word: str) -> None:
    assert naming.attribute(word) == word.lower()
    assert naming.local(word) == f"{word.lower()}_"
    assert naming.local(word) not in dir(builtins)


def test_a_struct_made_on_demand_is_kept_in_a_slot_of_its_own() -> None:
    (inner,) = message("Sample", "Inner").root.fields
    assert naming.slot(inner) == "_f0"
    plain = Field(
        name="Plain", type=inner.type, versions=inner.versions, default=None, nullable=inner.versions
    )
    assert naming.slot(plain) == "plain"


@pytest.mark.parametrize(
    ("struct", "class_name", "alias", "function"),
    [
        ("Topic", "MetadataResponseTopic", "Topic", "_read_topic_v3"),
        ("MetadataResponseTopic", "MetadataResponseTopic", "Topic", "_read_topic_v3"),
        ("MetadataTopic", "MetadataResponseMetadataTopic", "MetadataTopic", "_read_metadata_topic_v3"),
    ],
)
def test_a_struct_carries_its_message_in_front_once(
    struct: str, class_name: str, alias: str, function: str
) -> None:
    owner = message("MetadataResponse", struct)
    found = owner.structs[struct]
    assert naming.class_name(owner, found) == class_name
    assert naming.alias(owner, found) == alias
    assert naming.function("read", owner, found, 3) == function


def test_names_of_the_message_itself() -> None:
    owner = message("KRaftVersionRecord")
    assert naming.module(owner) == "kraft_version_record"
    assert naming.class_name(owner, owner.root) == "KRaftVersionRecord"
    assert naming.alias(owner, owner.root) == "KRaftVersionRecord"
    assert naming.function("write", owner, owner.root, 0) == "_write_v0"
