"""Where the jars of Apache Kafka lie, and which release they have to be of."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def release() -> str:
    """The Kafka release that `messages/` describes, from the line of `messages/SOURCE.md` that names it."""
    source = ROOT / "messages" / "SOURCE.md"
    found = re.search(r"^Release: (\S+)$", source.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{source}: no line 'Release: X.Y.Z'")
    return found[1]


def jars_directory(directory: Path | None = None, other: str | None = None) -> Path:
    """The folder with the jars of `release()`, or another: the one given, else the one under `compat/.cache`.

    Raises FileNotFoundError if the clients jar is not there: a comparison with nothing finds no difference.
    """
    version = other or release()
    jars = ROOT / "compat" / ".cache" / f"kafka-{version}" if directory is None else directory
    wanted = jars / f"kafka-clients-{version}.jar"
    if not wanted.is_file():
        how = "compat/install --jvm" if other is None else f"compat/kafka/fetch {other}"
        raise FileNotFoundError(f"{wanted} is missing: run {how}")
    return jars
