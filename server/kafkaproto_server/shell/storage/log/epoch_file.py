"""``leader-epoch-checkpoint``: the start offset of each leader epoch of a log (KIP-101).

It is a checkpoint (`kafkaproto.directory_files`) with one entry ``epoch startOffset`` for each epoch, both ascending. A
log derives the epochs from the batches that it reads when it is opened, and takes those of all other batches from the
file. The file has three more readers: tools, a node of Apache Kafka that takes over the directory, and ``reached``,
which uses it as a witness of how far the log once reached. So the file names only epochs whose first records are
durable.
"""

from __future__ import annotations

import itertools

from kafkaproto.directory_files import decode_checkpoint, encode_checkpoint
from kafkaproto_server.base.ports import Disk
from kafkaproto_server.core.log_state.leader_epochs import LeaderEpochs
from kafkaproto_server.shell.storage.atomic import replace_file

EPOCH_FILE_NAME = "leader-epoch-checkpoint"


def encode_epoch_file(entries: tuple[tuple[int, int], ...]) -> bytes:
    """The file's bytes for (epoch, start offset) entries."""
    return encode_checkpoint(entries)


def write_epoch_file(disk: Disk, directory: str, epochs: LeaderEpochs, *, is_durable: bool = True) -> None:
    """Replace the file, durable on return unless ``is_durable`` is false. Raises OSError."""
    content = encode_epoch_file(epochs.entries)
    replace_file(disk, directory, EPOCH_FILE_NAME, content, is_durable=is_durable)


def settle_epoch_file(disk: Disk, directory: str, epochs: LeaderEpochs) -> None:
    """Replace the file durably if it has other epochs: a start should not need a sync for each log. Raises OSError."""
    path = f"{directory}/{EPOCH_FILE_NAME}"
    if not disk.exists(path) or disk.read_file(path) != encode_epoch_file(epochs.entries):
        write_epoch_file(disk, directory, epochs)


def read_epoch_file(disk: Disk, directory: str) -> tuple[tuple[int, int], ...]:
    """The (epoch, start offset) entries of the file; none if its content is not valid, or if there is no file. Raises
    OSError."""
    path = f"{directory}/{EPOCH_FILE_NAME}"
    # No file is no error: Kafka and this log both derive the epochs from the batches then.
    if not disk.exists(path):
        return ()
    try:
        entries = tuple((int(epoch), int(start)) for epoch, start in decode_checkpoint(disk.read_file(path)))
    except ValueError:
        # The epochs are derived from the batches instead.
        return ()
    ascends = all(
        before < after for pair in itertools.pairwise(entries) for before, after in zip(*pair, strict=True)
    )
    # An entry out of order would make a wrong witness of how far the log reached, and wrong epochs
    # for batches that nobody reads again.
    return entries if ascends else ()
