"""Where the jars of Spark's Kafka connector lie."""

from __future__ import annotations

import re
from pathlib import Path

POM = Path(__file__).with_name("pom.xml")
CACHE = Path(__file__).resolve().parents[1] / ".cache"


def connector_release() -> str:
    """The release of the connector that `pom.xml` pins."""
    found = re.search(r"<connector\.version>(.*)</connector\.version>", POM.read_text())
    assert found is not None, f"{POM}: no connector.version"
    return found[1]


def connector_jars() -> tuple[Path, ...]:
    """The jars that `spark.jars` has to name, joined by commas, for the format "kafka".

    Raises FileNotFoundError when they were not fetched.
    """
    folder = CACHE / f"spark-kafka-{connector_release()}"
    wanted = folder / f"spark-sql-kafka-0-10_2.13-{connector_release()}.jar"
    if not wanted.is_file():
        raise FileNotFoundError(f"{wanted} is missing: run compat/install --jvm")
    return tuple(sorted(folder.glob("*.jar")))
