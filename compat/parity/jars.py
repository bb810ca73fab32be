"""Where the jars of Apache Kafka lie, and which release they have to be of."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "compat" / ".cache"
POM = ROOT / "compat" / "kafka" / "pom.xml"


def release() -> str:
    """The Kafka release that `messages/` describes, from the line of `messages/SOURCE.md` that names it."""
    source = ROOT / "messages" / "SOURCE.md"
    found = re.search(r"^Release: (\S+)$", source.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{source}: no line 'Release: X.Y.Z'")
    return found[1]


def tools_release() -> str:
    """The Kafka release whose tools are used, from `compat/kafka/pom.xml`; another one where Maven lacks them."""
    found = re.search(r"<kafka\.tools\.version>(\S+)</kafka\.tools\.version>", POM.read_text())
    if found is None:
        raise ValueError(f"{POM}: no property kafka.tools.version")
    return found[1]


def jars_directory(directory: Path | None = None, other: str | None = None) -> Path:
    """The folder with the jars of `release()`, or another: the one given, else the one under `compat/.cache`.

    Raises FileNotFoundError if the clients jar is not there: a comparison with nothing finds no difference.
    """
    version = other or release()
    jars = CACHE / f"kafka-{version}" if directory is None else directory
    wanted = jars / f"kafka-clients-{version}.jar"
    if not wanted.is_file():
        pinned = version in (release(), tools_release())
        how = "compat/install --jvm" if pinned else f"compat/kafka/fetch {version}"
        raise FileNotFoundError(f"{wanted} is missing: run {how}")
    return jars
