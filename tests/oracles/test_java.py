"""Our codecs against Kafka's own Java code: every message, every version, bytes and JSON form in both directions.

One Java process reads all random messages as our bytes, writes them again and shows them as JSON, and turns our JSON
into bytes.
"""

from __future__ import annotations

import json
import random
import subprocess
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from compat.kafka.jvm import TOOL_OPTIONS
from compat.kafka.programs import program_command
from compat.parity.jars import jars_directory
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.message import Message
from tests.messages.support.random_messages import (
    all_message_classes,
    drop_unknown_tags,
    random_message,
    versions_of,
)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("Codec.java")
EXAMPLES = 3
"""Random messages a version."""
COMPARED = 744
"""Messages x versions."""
NOT_READ_BACK = ("only the size of the records is given", "must be a float64, is 'Infinity'")
"""What Kafka's JSON form shows but cannot be read from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One message that Java is asked about."""

    java_class: str
    version: int
    message: Message
    json_text: str
    """Our JSON form, or ``-`` if it cannot be read back."""
    bytes_without_tags: bytes
    """What the JSON form must become: unknown tags have no place in it."""

    @property
    def line(self) -> str:
        """As the program takes it."""
        encoded = self.message.encode(self.version).hex()
        return f"{self.java_class}\t{self.version}\t{encoded}\t{self.json_text}"


def java_classes() -> dict[str, str]:
    """Simple name -> full name of every class with a JSON converter in Kafka's jars."""
    found = {}
    for jar in sorted(jars_directory().glob("kafka-*.jar")):
        for path in zipfile.ZipFile(jar).namelist():
            if path.endswith("JsonConverter.class"):
                full = path.removesuffix("JsonConverter.class").replace("/", ".")
                found[full.rpartition(".")[2]] = full
    return found


def questions() -> list[Question]:
    """Random messages of every class at every version."""
    classes = java_classes()
    found = []
    for kind in all_message_classes():
        data = "Data" if kind.TYPE in ("request", "response", "header") else ""
        for version in versions_of(kind):
            rng = random.Random(zlib.crc32(f"java {kind.NAME} {version}".encode()))
            for _ in range(EXAMPLES):
                message = random_message(kind, version, rng)
                found.append(make_question(classes[kind.NAME + data], version, message))
    return found


def make_question(java_class: str, version: int, message: Message) -> Question:
    """A question about this message."""
    document = message.to_json(version)
    plain, _ = type(message).decode(message.encode(version), version)
    drop_unknown_tags(message.schema().root, plain)
    try:
        read = type(message).from_json(document, version)
        text = json.dumps(document)
    except RemoteProtocolError as error:
        if not error.reason.startswith(NOT_READ_BACK):
            raise
        read, text = plain, "-"
    assert read == plain
    return Question(
        java_class=java_class,
        version=version,
        message=message,
        json_text=text,
        bytes_without_tags=plain.encode(version),
    )


def test_kafka_reads_and_writes_the_same_bytes_and_json() -> None:
    asked = questions()
    command = program_command(PROGRAM, [], sorted(jars_directory().glob("*.jar")), TOOL_OPTIONS)
    lines = "".join(f"{question.line}\n" for question in asked)
    run = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=True)
    responses = run.stdout.removesuffix("\n").split("\n")
    assert len(responses) == len(asked)
    for question, response in zip(asked, responses, strict=True):
        written, shown, back = response.split("\t")
        label = f"{question.message.NAME} v{question.version}"
        assert written == question.message.encode(question.version).hex(), label
        # As lists of pairs: the order of the fields counts too.
        ours = json.dumps(question.message.to_json(question.version))
        assert json.loads(shown, object_pairs_hook=list) == json.loads(ours, object_pairs_hook=list), label
        assert back == ("-" if question.json_text == "-" else question.bytes_without_tags.hex()), label
    compared = len({(question.java_class, question.version) for question in asked})
    print(f"Java: {len(all_message_classes())} messages, {compared} versions, {len(asked)} examples")
    assert compared == COMPARED
