"""Java programs of one file that stand beside their callers, compiled once and kept.

`java FILE.java` compiles a program at each start, which takes longer than many of them run. Here it is compiled on its
first use into a jar in `compat/.cache/java`, whose name has a hash of the source: a changed source is another jar. The
class path is no part of the name, because a program is always compiled with the jars that it runs with, and those are
pinned.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from compat.kafka.jvm import LOGGING_CONFIGURATION
from compat.parity.jars import CACHE

JARS = CACHE / "java"


def program_jar(source: Path, jars: Sequence[Path]) -> Path:
    """The jar with the program's classes. Raises CalledProcessError, with what javac says, if it does not compile."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = JARS / f"{source.stem}-{digest}.jar"
    if target.exists():
        return target
    JARS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=JARS) as name:
        folder = Path(name)
        classes = folder / "classes"
        command = ["javac", "-proc:none", "-encoding", "UTF-8", "-d", str(classes)]
        subprocess.run(
            [*command, "-cp", os.pathsep.join(map(str, jars)), str(source)],
            check=True,
            capture_output=True,
            text=True,
        )
        made = folder / target.name
        with zipfile.ZipFile(made, "w") as jar:
            for path in sorted(classes.rglob("*.class")):
                jar.write(path, path.relative_to(classes))
        # Others may compile the same at the same time.
        made.replace(target)
    return target


def program_command(
    source: Path, arguments: Sequence[str], jars: Sequence[Path], jvm_options: Sequence[str]
) -> list[str]:
    """The command line that runs a program of one file, logging as `java_command`."""
    path = os.pathsep.join(map(str, (*jars, program_jar(source, jars))))
    logging = f"-Dlog4j2.configurationFile={LOGGING_CONFIGURATION}"
    return ["java", *jvm_options, logging, "-cp", path, source.stem, *arguments]
