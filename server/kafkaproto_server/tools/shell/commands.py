"""The commands of ``kafka-metadata-shell``: their arguments and their output.

Words, order and layout are those of Kafka's shell. With JSON output, each item that is found is an object on its own
line, and so is each item that does not exist.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kafkaproto_server.tools.shell.nodes import DirectoryNode, FileNode
from kafkaproto_server.tools.shell.paths import NodeAtPath, children, resolve

_INDENT = "  "
_COLUMN_GAP = 2
_WILDCARDS = frozenset("*?{\\")
_HELP_INDENT = 25


class InvalidCommand(Exception):
    """A command line that is not valid. The message says why."""


@dataclass(slots=True, kw_only=True)
class Shell:
    """The working directory, and the form of the output."""

    root: DirectoryNode
    write: Callable[[str], object]
    """Takes whole lines, including their ends."""
    as_json: bool = False
    columns: int | None = None
    """Width of the terminal; None if names are listed one per line."""
    working: tuple[str, ...] = ()
    """Names on the path from the root to the working directory."""
    history: list[str] = field(default_factory=list)
    """The lines that were entered; see `remember`."""
    has_failed: bool = False
    """Whether an item that was asked for does not exist."""
    is_over: bool = False
    """Whether `exit` was entered."""

    def say(self, text: str) -> None:
        self.write(f"{text}\n")

    def show(self, item: Any) -> None:
        """Print a value as JSON."""
        self.say(json.dumps(item, ensure_ascii=False))

    def remember(self, line: str) -> None:
        """Add a line to the history, as Kafka's shell does: not if it equals the line before, nor if it begins with a
        space."""
        kept = line.strip()
        if not line.startswith(" ") and self.history[-1:] != [kept]:
            self.history.append(kept)

    def fail(self, command: str, path: str, reason: str) -> None:
        """Report that an item does not exist."""
        self.has_failed = True
        if self.as_json:
            self.show({"command": command, "path": path, "error": reason.rstrip(".")})
        else:
            self.say(f"{command}: {path}: {reason}")

    def find(self, command: str, path: str, reason: str) -> list[NodeAtPath]:
        """The nodes of a path. Reports if there is none."""
        places = resolve(self.root, self.working, path)
        if not places:
            self.fail(command, path, reason)
        return places


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The arguments of a command."""

    name: str
    text: str
    """A description in a few words."""
    least: int = 0
    most: int | None = None
    """None for no limit."""

    @property
    def usage(self) -> str:
        """The usage text of these arguments."""
        one_or_more = f"{self.name} [{self.name} ...]" if self.most is None else self.name
        return one_or_more if self.least else f"[{one_or_more}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    name: str
    text: str
    """The purpose of the command, in a sentence."""
    run: Callable[[Shell, Sequence[str]], None]
    takes: Arguments | None = None
    one_shot: bool = False
    """Whether it is useful alone, on the command line."""


def run_line(shell: Shell, line: str) -> None:
    """Execute a line that was entered. Raises UsageError."""
    words = _words(line)
    if words:
        shell.remember(line)
        run_words(shell, words, COMMANDS)


def run_words(shell: Shell, words: Sequence[str], allowed: dict[str, Command]) -> None:
    """Execute a command. Raises UsageError."""
    name, *arguments = words
    command = allowed.get(name)
    if command is None:
        choices = ", ".join(f"'{each}'" for each in allowed)
        raise InvalidCommand(f"invalid choice: '{name}' (choose from {choices})")
    operands = _operands(arguments)
    if operands is None:
        _show_usage(shell, command, options=True)
        return
    least, most = (0, 0) if command.takes is None else (command.takes.least, command.takes.most)
    if len(operands) < least:
        raise InvalidCommand("too few arguments")
    if most is not None and len(operands) > most:
        raise InvalidCommand(f"unrecognized arguments: '{operands[most]}'")
    command.run(shell, operands)


def _operands(arguments: Sequence[str]) -> list[str] | None:
    """The arguments without the end-of-options mark; None if help is asked for."""
    operands = []
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-h", "--help"):
            return None
        if argument == "--":
            break
        # A negative number is not an option, as in Kafka's shell.
        if argument.startswith("-") and argument != "-" and not argument[1:].isdecimal():
            raise InvalidCommand(f"unrecognized arguments: '{argument}'")
        operands.append(argument)
    return [*operands, *rest]


def _words(line: str) -> list[str]:
    """The non-empty words of a line; quotes and backslashes work as in a Unix shell."""
    try:
        return list(filter(None, shlex.split(line)))
    except ValueError as error:
        raise InvalidCommand(f"{line.strip()!r} cannot be taken apart: {error}") from error


# -- looking -------------------------------------------------------------------------------------------------------


def _ls(shell: Shell, targets: Sequence[str]) -> None:
    places = [
        place
        for target in targets or (".",)
        for place in shell.find("ls", target, "no such file or directory.")
    ]
    if shell.as_json:
        for place in places:
            shell.show(_listing(place))
        return
    files = [place.name for place in places if isinstance(place.node, FileNode)]
    directories = [place for place in places if isinstance(place.node, DirectoryNode)]
    _print_names(shell, files)
    for index, place in enumerate(directories):
        if index or files:
            shell.say("")
        # A single directory needs no heading.
        if len(directories) > 1 or files:
            shell.say(f"{place.name}:")
        assert isinstance(place.node, DirectoryNode), "sorted out above"
        _print_names(shell, place.node.names_in_order())


def _listing(place: NodeAtPath) -> dict[str, Any]:
    if isinstance(place.node, FileNode):
        return {"path": place.absolute, "type": "file"}
    return {"path": place.absolute, "type": "directory", "children": place.node.names_in_order()}


def _print_names(shell: Shell, names: Sequence[str]) -> None:
    if shell.columns is None or not names:
        for name in names:
            shell.say(name)
        return
    width = max(map(len, names)) + _COLUMN_GAP
    per_line = max(1, shell.columns // width)
    lines = -(-len(names) // per_line)
    for line in range(lines):
        shell.say("".join(name.ljust(width) for name in names[line::lines]).rstrip())


def _cat(shell: Shell, targets: Sequence[str]) -> None:
    for target in targets:
        for place in shell.find("cat", target, "No such file or directory."):
            if isinstance(place.node, DirectoryNode):
                shell.fail("cat", target, "Is a directory")
            elif shell.as_json:
                shell.show({"path": place.absolute, "value": place.node.json()})
            else:
                shell.say(place.node.text())


def _tree(shell: Shell, targets: Sequence[str]) -> None:
    for target in targets:
        for place in shell.find("tree", target, "No such file or directory."):
            if shell.as_json:
                shell.show({"path": place.absolute, "tree": _values(place)})
            elif isinstance(place.node, FileNode):
                shell.say(place.node.text())
            else:
                for line in _branches(place, ""):
                    shell.say(line)


def _branches(place: NodeAtPath, indent: str) -> Iterator[str]:
    for child in children(place):
        yield f"{indent}{child.name}:"
        if isinstance(child.node, FileNode):
            yield f"{indent}{_INDENT}{child.node.text()}"
        else:
            yield from _branches(child, indent + _INDENT)


def _values(place: NodeAtPath) -> Any:
    if isinstance(place.node, FileNode):
        return place.node.json()
    return {child.name: _values(child) for child in children(place)}


def _find(shell: Shell, targets: Sequence[str]) -> None:
    for target in targets or (".",):
        places = shell.find("find", target, "no such file or directory.")
        for place in places:
            # Use the path as it was typed, so that the output can be typed again. A pattern is replaced by the path
            # that it matched.
            prefix = place.absolute if _WILDCARDS.intersection(target) else target.rstrip("/")
            for path, found in _descend(place, prefix):
                if shell.as_json:
                    kind = "directory" if isinstance(found.node, DirectoryNode) else "file"
                    shell.show({"path": found.absolute, "type": kind})
                else:
                    shell.say(path or "/")


def _descend(place: NodeAtPath, path: str) -> Iterator[tuple[str, NodeAtPath]]:
    yield path, place
    for child in children(place):
        yield from _descend(child, f"{path}/{child.name}")


# -- moving about --------------------------------------------------------------------------------------------------


def _cd(shell: Shell, targets: Sequence[str]) -> None:
    target = targets[0] if targets else "/"
    places = shell.find("cd", target, "no such directory.")
    if not places:
        return
    # Of several matches, Kafka's shell goes to the last one, too.
    place = places[-1]
    if isinstance(place.node, DirectoryNode):
        shell.working = place.path
    else:
        shell.fail("cd", target, "not a directory.")


def _pwd(shell: Shell, _: Sequence[str]) -> None:
    path = "/" + "/".join(shell.working)
    if shell.as_json:
        shell.show({"path": path})
    else:
        shell.say(path)


def _exit(shell: Shell, _: Sequence[str]) -> None:
    shell.is_over = True


def _history(shell: Shell, arguments: Sequence[str]) -> None:
    count = len(shell.history)
    if arguments:
        try:
            count = int(arguments[0])
        except ValueError:
            raise InvalidCommand(
                f"argument numEntriesToShow: could not convert '{arguments[0]}' to Integer"
                f' (For input string: "{arguments[0]}")'
            ) from None
    numbered = list(enumerate(shell.history))
    for number, line in numbered[len(numbered) - max(0, min(count, len(numbered))) :]:
        shell.say(f"{number:5}  {line}")


# -- help ----------------------------------------------------------------------------------------------------------


def _help(shell: Shell, _: Sequence[str]) -> None:
    names = ",".join(COMMANDS)
    shell.say("The cluster's metadata as directories and files.\n")
    shell.say(f"usage:  {{{names}}} ...\n")
    shell.say(f"positional arguments:\n  {{{names}}}")
    for command in COMMANDS.values():
        shell.say(f"    {command.name}".ljust(_HELP_INDENT) + command.text)


def _man(shell: Shell, arguments: Sequence[str]) -> None:
    command = COMMANDS.get(arguments[0])
    if command is None:
        shell.fail("man", f"unknown command {arguments[0]}", "type help for a list of commands.")
        return
    shell.say(f"{command.name}: {command.text}\n")
    _show_usage(shell, command, options=False)


def _show_usage(shell: Shell, command: Command, *, options: bool) -> None:
    words = ("usage:", f" {command.name} [-h]" if options else command.name)
    if command.takes is None:
        shell.say(" ".join(words))
    else:
        shell.say(" ".join((*words, command.takes.usage)))
        shell.say("\npositional arguments:")
        shell.say(f"  {command.takes.name}".ljust(_HELP_INDENT) + command.takes.text)
    if options:
        shell.say("\noptional arguments:")
        shell.say("  -h, --help".ljust(_HELP_INDENT) + "Show this.")


_FILES = Arguments(name="targets", text="Paths of files.", least=1)
_TREES = Arguments(name="targets", text="Paths of directories or files.", least=1)
_LISTED = Arguments(name="targets", text="Paths of directories; this one where none is given.")
_STARTS = Arguments(name="paths", text="Where to begin; here where none is given.")
_DIRECTORY = Arguments(name="target", text="Path of a directory.", most=1)
_COUNT = Arguments(name="numEntriesToShow", text="How many of the last lines.", most=1)
_COMMAND = Arguments(name="cmd", text="Name of a command.", least=1, most=1)

COMMANDS = {
    command.name: command
    for command in (
        Command(name="cat", text="Print what is in files.", run=_cat, takes=_FILES, one_shot=True),
        Command(name="cd", text="Go to another directory, or to the root.", run=_cd, takes=_DIRECTORY),
        Command(name="exit", text="Leave.", run=_exit),
        Command(
            name="find", text="Print the paths of everything below.", run=_find, takes=_STARTS, one_shot=True
        ),
        Command(name="help", text="Print the commands.", run=_help),
        Command(name="history", text="Print what was entered.", run=_history, takes=_COUNT),
        Command(name="ls", text="Print the names in directories.", run=_ls, takes=_LISTED, one_shot=True),
        Command(name="man", text="Explain one command.", run=_man, takes=_COMMAND),
        Command(name="pwd", text="Print where one stands.", run=_pwd),
        Command(
            name="tree",
            text="Print everything below, with what is in the files.",
            run=_tree,
            takes=_TREES,
            one_shot=True,
        ),
    )
}
"""By name, in order."""

ONE_SHOT_COMMANDS = {name: command for name, command in COMMANDS.items() if command.one_shot}
"""The commands that are useful alone. The others concern the working directory or the shell itself."""
