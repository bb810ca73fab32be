"""The small text files of a log directory: names, and content as bytes. Like `log`, this module does no I/O.

- ``meta.properties``, at the root of each log directory: the node and the cluster that it belongs to, and the
  directory's own id (KIP-631, KIP-858). A Java properties file::

      #
      #Sat Nov 21 06:28:49 UTC 2026
      node.id=1
      directory.id=cfDiVozwRvO-F35hnvT9vQ
      version=1
      cluster.id=MkU3OEVBNTcwNTJENDM2Qg

  Version 0 has ``broker.id`` instead of ``node.id``, and may lack it and the cluster id. Both versions may lack the
  directory id; the node then assigns one at its start.

- ``partition.metadata``, in the directory of each partition: the id of its topic. Two lines, the second without a
  newline::

      version: 0
      topic_id: AAAAAAAAAAAAAAAAAAAAAQ

- ``quorum-state``, in the directory of the metadata partition: the node's epoch, its vote in that epoch, and the leader
  (KIP-595, KIP-853). One line of JSON without a newline, with the keys in this order::

      data_version 0 (voters from the configuration)
      {"clusterId":"","leaderId":1,"leaderEpoch":2,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1}],
       "data_version":0}
      data_version 1 (voters from the log)
      {"leaderId":-1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"J8aAPcfLQt2bqs1JT_rMgQ","data_version":1}

  -1, and a directory id of all zeros, mean none. The cluster id is written empty and the applied offset zero; both are
  ignored when read.

- Checkpoints such as ``leader-epoch-checkpoint``: text, and each line ends with a newline. First the version 0, then
  the number of entries, then one line for each entry: its fields, separated by spaces.

All functions that read raise ValueError for content that is not valid; the text names the key, not the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import javaproperties

from kafkaproto import uuids
from kafkaproto.errors import ProtocolError
from kafkaproto.messages import QuorumStateData

META_PROPERTIES_NAME = "meta.properties"
PARTITION_METADATA_NAME = "partition.metadata"
QUORUM_STATE_NAME = "quorum-state"
DELETED_SUFFIX = ".deleted"
"""A file of a log gets this suffix before it is deleted; its bytes do not change."""

VERSION_KEY = "version"
CLUSTER_ID_KEY = "cluster.id"
NODE_ID_KEY = "node.id"
BROKER_ID_KEY = "broker.id"
DIRECTORY_ID_KEY = "directory.id"
CHECKPOINT_VERSION = 0
HIGHEST_DATA_VERSION = 1
"""Of quorum-state."""

RESERVED_DIRECTORY_IDS = 100
"""Directory ids whose first half is zero and whose second half is below this number have special meanings."""

_TOPIC_ID = re.compile(r"^topic_id: *(\S+)$", re.MULTILINE)
_BEFORE_TOPIC_ID = b"version: 0\ntopic_id: "
_TORN_TOPIC_ID = re.compile(re.escape(_BEFORE_TOPIC_ID) + rb"([\w-]{1,21})")


def is_reserved_directory_id(directory_id: bytes) -> bool:
    """Whether a directory id stands for a state (migrating, unassigned, lost) instead of a directory."""
    high = int.from_bytes(directory_id[:8], signed=True)
    # Signed, as Kafka's DirectoryId compares them: a second half with its highest bit set is
    # reserved.
    return high == 0 and int.from_bytes(directory_id[8:], signed=True) < RESERVED_DIRECTORY_IDS


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaProperties:
    """The content of ``meta.properties``."""

    version: int
    """0 or 1."""
    cluster_id: str | None
    node_id: int | None
    """``broker.id`` in version 0."""
    directory_id: bytes | None
    """16 bytes; None if the directory has no id yet."""

    def to_mapping(self) -> dict[str, str]:
        """The properties as they are written, in Kafka's order."""
        values: dict[str, str | None] = {
            (NODE_ID_KEY if self.version else BROKER_ID_KEY): None
            if self.node_id is None
            else str(self.node_id),
            DIRECTORY_ID_KEY: None if self.directory_id is None else uuids.to_text(self.directory_id),
            VERSION_KEY: str(self.version),
            CLUSTER_ID_KEY: self.cluster_id,
        }
        return {key: value for key, value in values.items() if value is not None}


def encode_meta_properties(properties: MetaProperties, wall_ms: int) -> bytes:
    """The bytes of the file. ``wall_ms`` is the time of writing (milliseconds since the epoch), shown in UTC."""
    written_at = datetime.fromtimestamp(wall_ms // 1000, UTC)
    text = javaproperties.dumps(properties.to_mapping(), comments="", timestamp=written_at)
    return text.encode("ascii")


def decode_meta_properties(content: bytes) -> MetaProperties:
    """The properties in the file's bytes."""
    # Java's Properties are ISO 8859-1 by definition, and every byte is valid in it.
    values: Mapping[str, str] = javaproperties.loads(content.decode("iso-8859-1"))
    version = _number(values, VERSION_KEY)
    if version not in (None, 0, 1):
        raise ValueError(f"{VERSION_KEY} is {version}, this release reads 0 and 1")
    node_id = _number(values, NODE_ID_KEY if version else BROKER_ID_KEY)
    cluster_id = values.get(CLUSTER_ID_KEY)
    # Version 0 comes from before KIP-631 and may lack both keys.
    if version:
        for key, value in ((CLUSTER_ID_KEY, cluster_id), (NODE_ID_KEY, node_id)):
            if value is None:
                raise ValueError(f"{key} is missing")
    return MetaProperties(
        version=version or 0, cluster_id=cluster_id, node_id=node_id, directory_id=_directory_id(values)
    )


def _number(values: Mapping[str, str], key: str) -> int | None:
    text = values.get(key)
    if text is None:
        return None
    if re.fullmatch(r"[+-]?[0-9]{1,10}", text) is None:
        raise ValueError(f"{key} is {text!r}, a whole number is expected")
    return int(text)


def _directory_id(values: Mapping[str, str]) -> bytes | None:
    text = values.get(DIRECTORY_ID_KEY)
    if text is None:
        return None
    try:
        directory_id = uuids.from_text(text)
    except ValueError as error:
        raise ValueError(f"{DIRECTORY_ID_KEY}: {error}") from error
    if is_reserved_directory_id(directory_id):
        raise ValueError(f"{DIRECTORY_ID_KEY} is {text}, which is reserved")
    return directory_id


def encode_partition_metadata(topic_id: bytes) -> bytes:
    """The bytes of ``partition.metadata`` for a topic id of 16 bytes."""
    return f"version: 0\ntopic_id: {uuids.to_text(topic_id)}".encode()


def decode_partition_metadata(content: bytes) -> bytes:
    """The topic id in the file's bytes."""
    match = _TOPIC_ID.search(content.decode("iso-8859-1"))
    if match is None:
        raise ValueError("topic_id is missing")
    try:
        return uuids.from_text(match[1])
    except ValueError as error:
        raise ValueError(f"topic_id: {error}") from error


def torn_topic_id(content: bytes) -> str | None:
    """The beginning of the topic id in a ``partition.metadata`` that ends within it or before it, as a power loss may
    leave it; None if the file is damaged in another way."""
    if _BEFORE_TOPIC_ID.startswith(content):
        return ""
    match = _TORN_TOPIC_ID.fullmatch(content)
    return None if match is None else match[1].decode()


def encode_checkpoint(entries: Sequence[Sequence[object]]) -> bytes:
    """The bytes of a checkpoint with these entries."""
    lines = [str(CHECKPOINT_VERSION), str(len(entries)), *(" ".join(map(str, entry)) for entry in entries)]
    return "".join(f"{line}\n" for line in lines).encode()


def decode_checkpoint(content: bytes) -> list[tuple[str, ...]]:
    """The fields of each entry of a checkpoint."""
    lines = content.decode(errors="replace").splitlines()
    entries = [tuple(line.split()) for line in lines[2:]]
    if lines[:1] != [str(CHECKPOINT_VERSION)]:
        raise ValueError(f"the version is {lines[:1]}, this release reads {CHECKPOINT_VERSION}")
    # Without a crc, the end of the last line and the count are the only signs of a file that was cut off.
    if not content.endswith(b"\n"):
        raise ValueError("the last line has no end")
    if lines[1:2] != [str(len(entries))]:
        raise ValueError(f"there are {len(entries)} entries, the second line is {lines[1:2]}")
    return entries


def encode_quorum_state(state: QuorumStateData, data_version: int) -> bytes:
    """The bytes of ``quorum-state``."""
    document = {**state.to_json(data_version), "data_version": data_version}
    return json.dumps(document, separators=(",", ":")).encode()


def decode_quorum_state(content: bytes) -> tuple[QuorumStateData, int]:
    """The state in the file's bytes, and its data_version."""
    try:
        document = json.loads(content)
    except ValueError as error:
        raise ValueError(f"this is no JSON: {error}") from error
    if not isinstance(document, dict):
        raise ValueError("a JSON object is expected")
    data_version = document.pop("data_version", None)
    if type(data_version) is not int or not 0 <= data_version <= HIGHEST_DATA_VERSION:
        raise ValueError(f"data_version is {data_version!r}, this release reads 0 to {HIGHEST_DATA_VERSION}")
    try:
        state = QuorumStateData.from_json(document, data_version)
    except ProtocolError as error:
        raise ValueError(str(error)) from error
    # A negative epoch would let this node vote in epochs that are long over.
    if state.leader_epoch < 0:
        raise ValueError(f"leaderEpoch is {state.leader_epoch}, it must not be negative")
    return state, data_version
