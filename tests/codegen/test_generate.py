"""The generator as a whole: schemas that clash, `--check`, and the same output everywhere.

Tests: `codegen.emit_read`, `codegen.emit_registry`, `codegen.emit_schema`, `codegen.emit_write`, `codegen.literals`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from codegen.__main__ import ROOT, main
from codegen.generate import generate, read_schemas
from codegen.parse import SchemaError

SCHEMAS = ("api/VoteRequest", "api/VoteResponse", "metadata/TopicRecord", "raft/QuorumStateData")
"""Enough to generate something of every kind."""
DIGEST = """
import hashlib, pathlib
from codegen.generate import generate, read_schemas
digest = hashlib.sha256()
for name, text in generate(read_schemas(pathlib.Path("messages"))).items():
    digest.update(name.encode() + b"\\0" + text.encode() + b"\\0")
print(digest.hexdigest())
"""


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    """A folder with a few schemas."""
    for name in SCHEMAS:
        path = tmp_path / "messages" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "messages" / f"{name}.json", path)
    return tmp_path / "messages"


@pytest.fixture
def output(tmp_path: Path, messages: Path) -> Path:
    """A package filled from those schemas."""
    folder = tmp_path / "kafkaproto"
    folder.mkdir()
    (tmp_path / "pipeline").mkdir()
    result = run(messages, folder)
    assert result.output == "10 files: 10 written, 0 removed\n"
    return folder


def run(messages: Path, output: Path, *arguments: str) -> Result:
    """The command line."""
    folders = [
        "--messages",
        str(messages),
        "--output",
        str(output),
        "--views",
        str(output.parent / "pipeline"),
    ]
    return CliRunner().invoke(main, [*folders, *arguments])


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def change(path: Path, **keys: Any) -> None:
    """Other values for some of a schema's keys; None takes a key out."""
    text = "".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith("//"))
    document = json.loads(text) | keys
    path.write_text(json.dumps({key: value for key, value in document.items() if value is not None}))


# -- the command line ----------------------------------------------------------------------------------------------


def test_what_was_generated_is_up_to_date(messages: Path, output: Path) -> None:
    assert sorted(contents(output)) == [
        "generated/__init__.py",
        "generated/api_keys.py",
        "generated/quorum_state_data.py",
        "generated/registry.py",
        "generated/topic_record.py",
        "generated/vote_request.py",
        "generated/vote_response.py",
        "messages.pyi",
    ]
    result = run(messages, output, "--check")
    assert (result.exit_code, result.output) == (0, "10 generated files are up to date\n")
    assert run(messages, output).output == "10 files: 0 written, 0 removed\n"


def test_the_check_finds_files_that_are_stale_or_missing_or_too_much(messages: Path, output: Path) -> None:
    generated = output / "generated"
    good = contents(output)
    (generated / "vote_request.py").write_text("# edited\n" + good["generated/vote_request.py"])
    (output / "messages.pyi").write_text("")
    (generated / "topic_record.py").unlink()
    (generated / "find_quorum_request.py").write_text("")
    (generated / "inner").mkdir()
    (generated / "inner" / "deeper.py").write_text("")
    before = contents(output)
    result = run(messages, output, "--check")
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "stale: kafkaproto/generated/vote_request.py",
        "stale: kafkaproto/messages.pyi",
        "missing: kafkaproto/generated/topic_record.py",
        "extra: kafkaproto/generated/find_quorum_request.py",
        "extra: kafkaproto/generated/inner/deeper.py",
        "run bin/codegen",
    ]
    assert contents(output) == before, "a check changes nothing"
    assert run(messages, output).output == "10 files: 3 written, 2 removed\n"
    assert contents(output) == good
    (output / "messages.pyi").unlink()
    assert "missing: kafkaproto/messages.pyi" in run(messages, output, "--check").output


def test_the_check_finds_a_schema_that_changed_or_came_or_went(messages: Path, output: Path) -> None:
    change(messages / "metadata/TopicRecord.json", apiKey=77)
    assert run(messages, output, "--check").output.splitlines()[:2] == [
        "stale: kafkaproto/generated/registry.py",
        "stale: kafkaproto/generated/topic_record.py",
    ]
    (messages / "metadata/TopicRecord.json").unlink()
    assert "extra: kafkaproto/generated/topic_record.py" in run(messages, output, "--check").output
    shutil.copy(ROOT / "messages/metadata/NoOpRecord.json", messages / "metadata")
    assert "missing: kafkaproto/generated/no_op_record.py" in run(messages, output, "--check").output


def test_a_refused_schema_is_named_and_nothing_is_written(messages: Path, output: Path) -> None:
    before = contents(output)
    change(messages / "metadata/TopicRecord.json", flexibleVersions=None)
    for arguments in ((), ("--check",)):
        result = run(messages, output, *arguments)
        assert result.exit_code == 1
        assert result.output == "Error: metadata/TopicRecord.json: TopicRecord: flexibleVersions is missing\n"
    assert contents(output) == before


def test_a_folder_that_is_not_there_is_no_empty_folder(messages: Path, output: Path) -> None:
    result = run(messages / "nowhere", output)
    assert result.exit_code == 2
    assert "does not exist" in result.output
    assert (output / "generated" / "vote_request.py").exists()


def test_the_committed_files_are_up_to_date() -> None:
    result = CliRunner().invoke(main, ["--check"])
    assert result.exit_code == 0, result.output


def test_the_output_does_not_depend_on_the_process() -> None:
    digests = set()
    for seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        found = subprocess.run(
            [sys.executable, "-c", DIGEST],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(found.stdout)
    assert len(digests) == 1


# -- schemas that do not go together -------------------------------------------------------------------------------


def clash(messages: Path) -> str:
    """Why the schemas of a folder are refused."""
    with pytest.raises(SchemaError) as caught:
        read_schemas(messages)
    return str(caught.value)


def test_every_request_needs_its_response(messages: Path) -> None:
    (messages / "api/VoteResponse.json").unlink()
    assert clash(messages) == "api/VoteRequest.json: VoteRequest: has no response"


def test_request_and_response_have_the_same_versions(messages: Path) -> None:
    change(messages / "api/VoteResponse.json", validVersions="0-3")
    assert (
        clash(messages) == "api/VoteResponse.json: VoteResponse: versions 0-3 differ from the request's, 0-2"
    )


def test_an_api_key_belongs_to_one_request_and_one_response(messages: Path) -> None:
    shutil.copy(messages / "api/VoteRequest.json", messages / "api/Other.json")
    change(messages / "api/Other.json", name="OtherRequest")
    assert clash(messages) == (
        "api/VoteRequest.json: VoteRequest: ('api', 'request', 52) is already that of api/Other.json"
    )


def test_record_types_count_within_a_folder(messages: Path) -> None:
    (messages / "remote").mkdir()
    shutil.copy(messages / "metadata/TopicRecord.json", messages / "remote/Other.json")
    change(messages / "remote/Other.json", name="OtherRecord")
    assert "OtherRecord" in [message.name for message in read_schemas(messages)]
    shutil.copy(messages / "remote/Other.json", messages / "metadata/Other.json")
    change(messages / "metadata/Other.json", name="ThirdRecord")
    assert clash(messages).endswith("('metadata', 'metadata', 2) is already that of metadata/Other.json")


def test_two_messages_cannot_share_a_module(messages: Path) -> None:
    shutil.copy(messages / "raft/QuorumStateData.json", messages / "raft/Other.json")
    reason = "'quorum_state_data' is already that of raft/Other.json"
    assert clash(messages) == f"raft/QuorumStateData.json: QuorumStateData: {reason}"


def test_two_structs_cannot_share_a_class(messages: Path) -> None:
    fields: list[dict[str, Any]] = [
        {"name": name, "type": f"[]{name}", "versions": "0+", "fields": []}
        for name in ("Topic", "QuorumStateDataTopic")
    ]
    change(messages / "raft/QuorumStateData.json", fields=fields)
    reason = "its class QuorumStateDataTopic is already that of struct Topic"
    assert clash(messages) == f"raft/QuorumStateData.json: QuorumStateDataTopic: {reason}"


def test_a_message_without_versions_has_no_module(messages: Path) -> None:
    for name in ("Request", "Response"):
        change(messages / f"api/Vote{name}.json", validVersions="none")
    files = generate(read_schemas(messages))
    assert not [name for name in files if "vote" in name]
    assert "Vote" not in files["generated/registry.py"] + files["messages.pyi"]
