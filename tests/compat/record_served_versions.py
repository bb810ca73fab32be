"""Records what each release of Apache Kafka serves and reads: python -m tests.compat.record_served_versions RELEASE...

Starts a node of the release with both roles, and asks both listeners with ApiVersions v4. What metadata records it
reads is in the schemas of its jar. The lines go to tests/versions/golden/served_versions.txt, in place of those of the
same release. `compat/kafka/fetch RELEASE` brings in the jars.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from functools import partial
from pathlib import Path

from compat.kafka.stock import StockNode
from compat.node import combined_properties
from compat.parity.jars import jars_directory
from compat.parity.schemas import parse
from compat.probe import Probe
from kafkaproto.messages import ApiVersionsRequest, ApiVersionsResponse
from tests.compat.support.nodes import CLUSTER_ID

GOLDEN = Path(__file__).parents[1] / "versions" / "golden" / "served_versions.txt"
VERSION = 4
"""The first that names features which start at level 0; all of these releases serve it."""
HEADING = """\
# What nodes of Apache Kafka serve, as they said themselves to ApiVersions v4; unstable versions are not among it.
# Recorded with python -m tests.compat.record_served_versions. A row: release, listener, api key, lowest version,
# highest version; or release, "supports", feature, lowest level, highest level; or release, "reads", metadata record,
# lowest version, highest version, from the schemas in the jar of the release.
"""


def recorded(release: str) -> list[str]:
    """The rows of a release."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        node = partial(StockNode, release=release)(place, combined_properties(place / "data"))
        node.format(CLUSTER_ID)
        try:
            node.start()
            of_broker, of_controller = map(_told, (node.bootstrap_server, node.bootstrap_controller))
            for listener, told in (("broker", of_broker), ("controller", of_controller)):
                rows += [
                    f"{release} {listener} {each.api_key} {each.min_version} {each.max_version}"
                    for each in sorted(told.api_keys, key=lambda each: each.api_key)
                ]
            rows += [
                f"{release} supports {each.name} {each.min_version} {each.max_version}"
                for each in sorted(of_controller.supported_features, key=lambda each: each.name)
            ]
        finally:
            node.close()
    return rows + _read(release)


def _read(release: str) -> list[str]:
    rows = []
    with zipfile.ZipFile(jars_directory(other=release) / f"kafka-metadata-{release}.jar") as jar:
        for name in sorted(jar.namelist()):
            if not (name.startswith("common/") and name.endswith(".json")):
                continue
            schema = parse(jar.read(name).decode())
            if schema["type"] == "metadata":
                lowest, _, highest = schema["validVersions"].partition("-")
                rows.append(f"{release} reads {schema['name']} {lowest} {highest or lowest}")
    return rows


def _told(server: str) -> ApiVersionsResponse:
    with Probe(server) as probe:
        request = ApiVersionsRequest(client_software_name="probe", client_software_version="1")
        response = probe.ask(request, VERSION)
    assert isinstance(response, ApiVersionsResponse)
    return response


def main() -> None:
    """Record the releases that are named."""
    kept = GOLDEN.read_text().splitlines() if GOLDEN.exists() else []
    rows = [each for each in kept if each and not each.startswith("#")]
    for release in sys.argv[1:]:
        rows = [each for each in rows if each.split()[0] != release] + recorded(release)
    rows.sort(key=lambda row: [int(part) for part in row.split()[0].split(".")])
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    GOLDEN.write_text(HEADING + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
