"""The tables that the command line shows and writes have no secrets, unless it is asked for them.

Tests: `kafkaproto_pipeline.views.secrecy`.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkaproto.message import Message
from kafkaproto.messages import (
    ConfigRecord,
    DelegationTokenRecord,
    RemoveDelegationTokenRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from kafkaproto_pipeline.jobs import history, state
from kafkaproto_pipeline.jobs.redaction import redacted, without_secrets
from kafkaproto_pipeline.jobs.session import private_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONFIGS = [
    ("BROKER", "log.retention.ms", "1", "1"),
    ("BROKER", "listener.name.x.ssl.keystore.type", "JKS", "JKS"),
    ("BROKER", "ssl.keystore.password", "hunter2", "[redacted]"),
    ("BROKER", "listener.name.x.ssl.keystore.password", "hunter2", "[redacted]"),
    ("BROKER", "nobody.knows", "hunter2", "[redacted]"),
    ("BROKER", "ssl.key.password", None, None),
    ("TOPIC", "retention.ms", "1", "1"),
    ("TOPIC", "retention.ms\n", "hunter2", "[redacted]"),
    ("TOPIC", "retentionxms", "hunter2", "[redacted]"),
    ("TOPIC", "log.retention.ms", "hunter2", "[redacted]"),
    ("99", "retention.ms", "hunter2", "[redacted]"),
    (None, "retention.ms", "hunter2", "[redacted]"),
    ("TOPIC", None, "hunter2", "[redacted]"),
]


@pytest.mark.jvm
def test_values_of_configs_are_shown_if_they_are_known_to_be_none(spark: SparkSession) -> None:
    rows = [row[:3] for row in CONFIGS]
    frame = spark.createDataFrame(rows, "resourceType STRING, configName STRING, configValue STRING")
    assert [row["configValue"] for row in redacted(frame, "configs").collect()] == [row[3] for row in CONFIGS]
    changes = frame.selectExpr(
        "resourceType", "configName", "configValue AS oldConfigValue", "configValue AS newConfigValue"
    )
    for row, expected in zip(redacted(changes, "config_changes").collect(), CONFIGS, strict=True):
        assert (row["oldConfigValue"], row["newConfigValue"]) == (expected[3], expected[3])


@pytest.mark.jvm
def test_keys_of_credentials_and_ids_of_tokens_are_not_shown(spark: SparkSession) -> None:
    schema = "userName STRING, salt BINARY, storedKey BINARY, serverKey BINARY, iterations INT"
    credentials = spark.createDataFrame([("alice", b"a", b"b", b"c", 4096)], schema)
    shown = redacted(credentials, "scram_credentials")
    assert shown.schema.simpleString() == credentials.schema.simpleString()
    assert [tuple(row) for row in shown.collect()] == [("alice", None, None, None, 4096)]
    tokens = spark.createDataFrame([("User:alice", "id")], "owner STRING, tokenId STRING")
    for table in ("delegation_tokens", "tokens"):
        assert [tuple(row) for row in redacted(tokens, table).collect()] == [("User:alice", "[redacted]")]


def config(name: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(resource_type=4, resource_name="1", name=name, value=value)


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (
            UserScramCredentialRecord(
                name="alice", mechanism=1, salt=b"salt", stored_key=b"st", server_key=b"se"
            ),
            {"name": "alice", "salt": "[redacted]", "storedKey": "[redacted]", "serverKey": "[redacted]"},
        ),
        (
            DelegationTokenRecord(owner="User:a", token_id="hunter2"),
            {"owner": "User:a", "tokenId": "[redacted]"},
        ),
        (RemoveDelegationTokenRecord(token_id="hunter2"), {"tokenId": "[redacted]"}),
        (
            config("ssl.keystore.password", "hunter2"),
            {"name": "ssl.keystore.password", "value": "[redacted]"},
        ),
        (config("ssl.keystore.password", None), {"value": None}),
        (config("log.retention.ms", "1"), {"name": "log.retention.ms", "value": "1"}),
        (TopicRecord(name="orders", topic_id=bytes(16)), {"name": "orders"}),
    ],
)
def test_records_are_quoted_without_secrets(record: Message, shown: dict[str, object]) -> None:
    text = without_secrets(record.NAME, json.dumps(record.to_json(0)))
    assert shown.items() <= json.loads(text).items()
    assert "hunter2" not in text
    assert json.loads(text).keys() == record.to_json(0).keys()
    assert without_secrets("ConfigRecord", "{broken") == "[redacted]"


def test_every_table_that_has_secrets_is_known() -> None:
    """`redacted` goes by the names of tables: one that is called otherwise would show everything."""
    known = {"configs", "scram_credentials", "delegation_tokens"}
    assert known <= state.JOB.tables.keys()
    assert {"config_changes", "tokens"} <= history.JOB.tables.keys()


def test_what_was_asked_for_with_secrets_is_for_this_user_alone(tmp_path: Path) -> None:
    with private_files():
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "file").write_text("")
    (tmp_path / "later").write_text("")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("folder", "folder/file")]
    assert modes == [0o700, 0o600]
    assert stat.S_IMODE((tmp_path / "later").stat().st_mode) != 0o600


@pytest.fixture(autouse=True)
def _usual_umask() -> None:
    import os

    os.umask(0o022)
