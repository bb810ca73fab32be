"""``kafka-dump-log``: prints the contents of a log's files: batches, snapshots, indexes, producer states.

It takes the options of Kafka's tool and prints its lines; ``--json`` prints the same as one JSON object per line.
Options for records of topics other than the metadata log are refused (`_REFUSED`). It needs no running server, and can
read files that a server is writing. Exit code 1 means that a file could not be read to its end. Other problems are
reported at the end, on standard error.

Unlike Kafka's tool it leaves secrets out unless ``--secrets`` is given (``redaction``). It does not report that a
segment which begins at 48 begins after -1, nor that the zeros of an index without entries point nowhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import click

from kafkaproto.connection import SOFTWARE_VERSION
from kafkaproto.errors import RemoteProtocolError
from kafkaproto.log import LOG_SUFFIX, OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, parse_segment_file_name
from kafkaproto.records.batch import Record, RecordBatchView
from kafkaproto.snapshot import parse_snapshot_file_name
from kafkaproto_server.base.ports import Disk, File
from kafkaproto_server.shell.storage.disk import OsDisk
from kafkaproto_server.shell.storage.log.producer_state_file import PRODUCER_STATE_SUFFIX
from kafkaproto_server.shell.storage.metadata.bootstrap import BOOTSTRAP_NAME
from kafkaproto_server.shell.storage.metadata.snapshot_file import CHECKPOINT_SUFFIX
from kafkaproto_server.tools.command_line import failures_as_messages, run
from kafkaproto_server.tools.dump import dumped_files as files
from kafkaproto_server.tools.dump.dumped_files import NO_LIMIT, DumpError, Item, Problems
from kafkaproto_server.tools.redaction import SECRETS_OPTION_HELP

TRANSACTION_INDEX_SUFFIX = ".txnindex"

_MAX_MESSAGE_SIZE = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpOptions:
    print_records: bool
    print_contents: bool
    decode_metadata: bool
    skip_record_metadata: bool
    verify_index_only: bool
    check_index_sanity: bool
    max_message_size: int
    max_bytes: int
    as_json: bool
    secrets: bool


_EXAMPLES = """\b
What the metadata log of a node says, and whether its indexes are right:
  kafka-dump-log --cluster-metadata-decoder \\
      --files kafka-data/__cluster_metadata-0/00000000000000000000.log
  kafka-dump-log --verify-index-only \\
      --files kafka-data/__cluster_metadata-0/00000000000000000000.index
"""

_LOADS_A_CLASS = "it names a Java class to load; give --print-data-log for text"
_NO_SUCH_TOPIC = "it is for the records of {}, which the servers of this project do not write"
_REFUSED = {
    "--key-decoder-class": _LOADS_A_CLASS,
    "--value-decoder-class": _LOADS_A_CLASS,
    "--offsets-decoder": _NO_SUCH_TOPIC.format("__consumer_offsets"),
    "--transaction-log-decoder": _NO_SUCH_TOPIC.format("__transaction_state"),
    "--share-group-state-decoder": _NO_SUCH_TOPIC.format("__share_group_state"),
    "--remote-log-metadata-decoder": _NO_SUCH_TOPIC.format("__remote_log_metadata"),
}
"""Options of Kafka's tool that are refused, and why."""


def _refusing(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `_REFUSED` to a command."""

    def refuse(_: click.Context, option: click.Parameter, is_given: bool) -> None:
        if is_given:
            (name,) = option.opts
            raise click.UsageError(f"{name} is not taken: {_REFUSED[name]}")

    for name in _REFUSED:
        # None of them takes a value: the name suffices to refuse it, and this comes before everything else.
        option = click.option(
            name, is_flag=True, is_eager=True, expose_value=False, hidden=True, callback=refuse
        )
        command = option(command)
    return command


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EXAMPLES)
@click.version_option(SOFTWARE_VERSION, message="%(version)s", help="Show the version of this tool and exit.")
@_refusing
@click.option(
    "--files",
    "lists",
    required=True,
    multiple=True,
    metavar="FILE,...",
    help="The files to show, for example 00000000000000000000.log,00000000000000000000.index. May be repeated.",
)
@click.option(
    "--print-data-log",
    is_flag=True,
    help="Show the records of .log and .checkpoint files, keys and values as text.",
)
@click.option(
    "--deep-iteration",
    is_flag=True,
    help="Show the records of .log and .checkpoint files, without keys and values.",
)
@click.option(
    "--cluster-metadata-decoder", is_flag=True, help="The same, values as records of the metadata log."
)
@click.option(
    "--skip-record-metadata",
    is_flag=True,
    help="Of each record, show key and value alone; control records are left out.",
)
@click.option(
    "--verify-index-only", is_flag=True, help="Compare indexes with their .log file without printing entries."
)
@click.option(
    "--index-sanity-check",
    is_flag=True,
    help="Only look whether an index can be used, as a server does at start.",
)
@click.option(
    "--max-message-size",
    default=_MAX_MESSAGE_SIZE,
    show_default=True,
    type=click.IntRange(min=1),
    metavar="BYTES",
    help="Most that is read of the .log file for an index entry; larger batches are not found.",
)
@click.option(
    "--max-bytes",
    default=NO_LIMIT,
    show_default=True,
    type=click.IntRange(min=0),
    metavar="BYTES",
    help="How much of each .log and .checkpoint file is read.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line.")
@click.option("--secrets", is_flag=True, help=SECRETS_OPTION_HELP)
def cli(
    lists: tuple[str, ...],
    print_data_log: bool,
    deep_iteration: bool,
    cluster_metadata_decoder: bool,
    skip_record_metadata: bool,
    verify_index_only: bool,
    index_sanity_check: bool,
    max_message_size: int,
    max_bytes: int,
    as_json: bool,
    secrets: bool,
) -> None:
    """Show the files of a log, to find out what is wrong with it."""
    prints_contents = print_data_log or cluster_metadata_decoder
    options = DumpOptions(
        print_records=prints_contents or deep_iteration,
        print_contents=prints_contents,
        decode_metadata=cluster_metadata_decoder,
        skip_record_metadata=skip_record_metadata,
        verify_index_only=verify_index_only,
        check_index_sanity=index_sanity_check,
        max_message_size=max_message_size,
        max_bytes=max_bytes,
        as_json=as_json,
        secrets=secrets,
    )
    dump = _Dump(OsDisk(), options, sys.stdout.write)
    with failures_as_messages(DumpError, OSError):
        for path in ",".join(lists).split(","):
            if path.strip():
                dump.show(path.strip())
        dump.show_problems()


class _Dump:
    """One run of the tool."""

    def __init__(self, disk: Disk, options: DumpOptions, write: Callable[[str], object]) -> None:
        self._disk = disk
        self._options = options
        self._write = write
        self._problems = Problems()

    def show(self, path: str) -> None:
        """Print one file. Raises DumpError, OSError."""
        name = os.path.basename(path)
        self._say(f"Dumping {path}", path)
        if name.endswith((LOG_SUFFIX, CHECKPOINT_SUFFIX)):
            self._show_log(path, name)
        elif name.endswith(OFFSET_INDEX_SUFFIX):
            self._show_offset_index(path)
        elif name.endswith(TIME_INDEX_SUFFIX):
            self._show_time_index(path)
        elif name.endswith(PRODUCER_STATE_SUFFIX):
            self._show_items(path, "producer", files.producer_state(self._disk, path))
        elif name.endswith(TRANSACTION_INDEX_SUFFIX):
            self._show_items(path, "abortedTransaction", files.transaction_index(self._disk, path))
        else:
            sys.stderr.write(f"Ignoring unknown file {path}\n")

    def show_problems(self) -> None:
        """Print the problems of the files that were shown."""
        for path, line in self._problems.lines():
            if self._options.as_json:
                self._show_item(path, "problem", {"text": line.strip()})
            else:
                sys.stderr.write(f"{line}\n")

    # -- batches -----------------------------------------------------------------------------------------------

    def _show_log(self, path: str, name: str) -> None:
        expected = self._show_start(path, name)
        file = self._disk.open_read_only(path)
        try:
            position = 0
            for batch in files.batches_of(path, file, max_bytes=self._options.max_bytes):
                self._show_item(path, "batch", files.batch_item(batch, position))
                if self._options.print_records:
                    expected = self._show_records(path, batch, position, expected)
                position += batch.size_in_bytes
            self._show_rest(path, file, position)
        finally:
            file.close()

    def _show_start(self, path: str, name: str) -> int:
        """Print what the name of a file of batches says. Returns the offset with which the file begins."""
        if name.endswith(LOG_SUFFIX):
            base_offset = parse_segment_file_name(name)
            if base_offset is None:
                raise DumpError(f"{path}: its name is not that of a segment, 20 digits and {LOG_SUFFIX}")
            self._say(f"Log starting offset: {base_offset}", path)
            return base_offset
        if name == BOOTSTRAP_NAME:
            self._say("KRaft bootstrap snapshot", path)
            return 0
        snapshot_id = parse_snapshot_file_name(name)
        if snapshot_id is None:
            raise DumpError(f"{path}: its name is not that of a snapshot, an end offset and an epoch")
        self._say(f"Snapshot end offset: {snapshot_id.end_offset}, epoch: {snapshot_id.epoch}", path)
        return 0

    def _show_records(self, path: str, batch: RecordBatchView, position: int, expected: int) -> int:
        """Print a batch's records, and note gaps between offsets. Returns the next expected offset."""
        try:
            for record, metadata in files.records_of(batch):
                if record.offset != expected:
                    self._problems.gaps.setdefault(path, []).append((expected - 1, record.offset))
                expected = record.offset + 1
                self._show_record(path, batch, record, metadata)
        except RemoteProtocolError as error:
            raise DumpError(f"{path}, batch at byte {position}: {error}") from error
        return expected

    def _show_record(self, path: str, batch: RecordBatchView, record: Record, metadata: Item) -> None:
        item: dict[str, object] = {}
        if not self._options.skip_record_metadata:
            item |= metadata
            if batch.is_control:
                item |= files.control_item(record)
        if self._options.print_contents and not batch.is_control:
            show = files.metadata_item if self._options.decode_metadata else files.content_item
            item |= show(record, secrets=self._options.secrets)
        self._show_item(path, "record", item, prefix="| " if item else "")

    def _show_rest(self, path: str, file: File, position: int) -> None:
        rest = file.size() - position
        if rest and self._options.max_bytes == NO_LIMIT:
            self._say(f"Found {rest} invalid bytes at the end of {os.path.basename(path)}", path)

    # -- indexes -----------------------------------------------------------------------------------------------

    def _show_offset_index(self, path: str) -> None:
        entries = files.offset_index(self._disk, path)
        if not entries:
            self._say(f"{path} is empty.", path)
        elif self._options.check_index_sanity:
            files.check_index_is_sane(self._disk, path, entries, 8)
            self._say(f"{path} passed sanity check.", path)
        else:
            if not self._options.verify_index_only:
                items = ({"offset": offset, "position": position} for offset, position in entries)
                self._show_items(path, "indexEntry", items)
            files.check_offset_index(
                self._disk, path, entries, self._options.max_message_size, self._problems
            )

    def _show_time_index(self, path: str) -> None:
        entries = files.time_index(self._disk, path)
        if self._options.check_index_sanity:
            files.check_index_is_sane(self._disk, path, entries, 12)
            self._say(f"{path} passed sanity check.", path)
            return
        if not self._options.verify_index_only:
            items = ({"timestamp": timestamp, "offset": offset} for timestamp, offset in entries)
            self._show_items(path, "indexEntry", items)
        files.check_time_index(self._disk, path, entries, self._problems)

    # -- output ------------------------------------------------------------------------------------------------

    def _show_items(self, path: str, kind: str, items: Iterator[Item]) -> None:
        for item in items:
            self._show_item(path, kind, item)

    def _show_item(self, path: str, kind: str, item: Item, *, prefix: str = "") -> None:
        if self._options.as_json:
            self._write(f"{files.to_json({'file': path, kind: item})}\n")
        else:
            self._write(f"{prefix}{files.render(item)}\n")

    def _say(self, line: str, path: str) -> None:
        """Print a line about the whole file, for people. JSON output has the file's name in every object instead."""
        if not self._options.as_json:
            self._write(f"{line}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tool and end the process, unless it succeeds."""
    run(cli, "kafka-dump-log", arguments)


if __name__ == "__main__":
    main()
