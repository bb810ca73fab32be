"""What the tools show of secrets: nothing, unless they are asked for them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from kafkaproto.messages import (
    ConfigRecord,
    DelegationTokenRecord,
    FeatureLevelRecord,
    UserScramCredentialRecord,
)
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.snapshot import build_snapshot
from kafkaproto_server.tools.dump import dump_log
from kafkaproto_server.tools.shell import metadata_shell
from tests.tools.support.in_process import run

SALT, STORED, SERVER = b"the salt of alice", b"her stored key", b"her server key"
RECORDS = [
    encode_metadata_record(FeatureLevelRecord(name="metadata.version", feature_level=29), 0),
    encode_metadata_record(
        UserScramCredentialRecord(
            name="alice", mechanism=1, salt=SALT, stored_key=STORED, server_key=SERVER, iterations=8192
        ),
        0,
    ),
    *(
        encode_metadata_record(ConfigRecord(resource_type=4, resource_name="1", name=name, value=value), 0)
        for name, value in (
            ("ssl.keystore.password", "hunter2-keystore"),
            ("listener.name.external.sasl.jaas.config", "hunter2-jaas"),
            ("what.nobody.knows", "hunter2-unknown"),
            ("log.retention.ms", "123456"),
        )
    ),
    encode_metadata_record(
        DelegationTokenRecord(
            owner="User:alice",
            requester="User:alice",
            renewers=[],
            issue_timestamp=1,
            max_timestamp=2,
            expiration_timestamp=3,
            token_id="token-of-alice",
        ),
        0,
    ),
]
PLAIN = ("8192", "alice", "123456")


def forms(secret: bytes) -> set[str]:
    """Every way in which bytes may be written."""
    return {
        secret.hex(),
        base64.b64encode(secret).decode(),
        base64.urlsafe_b64encode(secret).decode(),
        secret.decode(),
    }


SECRETS = [
    *map(forms, (SALT, STORED, SERVER)),
    *({f"hunter2-{each}"} for each in ("keystore", "jaas", "unknown")),
]


@pytest.fixture
def snapshot(tmp_path: Path) -> str:
    path = tmp_path / f"{9:020}-{1:010}.checkpoint"
    parts = build_snapshot(RECORDS, epoch=1, timestamp_ms=1, last_contained_log_timestamp=1)
    path.write_bytes(b"".join(parts))
    return str(path)


COMMANDS = {
    "records": (dump_log.main, ["--cluster-metadata-decoder", "--files", "FILE"]),
    "records as JSON": (dump_log.main, ["--json", "--cluster-metadata-decoder", "--files", "FILE"]),
    "values as text": (dump_log.main, ["--print-data-log", "--files", "FILE"]),
    "tree": (metadata_shell.main, ["--snapshot", "FILE", "tree", "/image"]),
    "tree as JSON": (metadata_shell.main, ["--json", "--snapshot", "FILE", "tree", "/image"]),
    "cat": (metadata_shell.main, ["--snapshot", "FILE", "cat", "/image/scram/SCRAM-SHA-256/alice"]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_secret_is_shown_unless_asked_for(
    name: str, snapshot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main, arguments = COMMANDS[name]
    arguments = [snapshot if each == "FILE" else each for each in arguments]
    code, hidden, err = run(main, arguments, capsys)
    assert (code, err) == (0, "")
    for written in SECRETS:
        assert not any(form in hidden for form in written)
    assert "[redacted]" in hidden
    code, shown, err = run(main, ["--secrets", *arguments], capsys)
    assert (code, err) == (0, "")
    asked_for = SECRETS[:3] if name == "cat" else SECRETS
    assert all(any(form in shown for form in written) for written in asked_for)
    assert "[redacted]" not in shown
    # The rest is the same, line by line; text of a value may have any number of lines.
    if name != "values as text":
        assert hidden.count("\n") == shown.count("\n")


def test_what_is_no_secret_stays(snapshot: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--json", "--cluster-metadata-decoder", "--files", snapshot]
    _, out, _ = run(dump_log.main, arguments, capsys)
    for plain in PLAIN:
        assert plain in out
    records = [json.loads(line).get("record", {}).get("payload") for line in out.splitlines()]
    tokens = [each["data"] for each in records if each and each["type"] == "DELEGATION_TOKEN_RECORD"]
    assert [each["tokenId"] for each in tokens] == ["[redacted]"]
    assert [each["owner"] for each in tokens] == ["User:alice"]
