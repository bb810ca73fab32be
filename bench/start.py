"""How long a node takes from process start to an answered Metadata request, and what memory it holds then.

Ours against Apache Kafka, in turn, on directories that each has formatted with its own tool. Ours is started by
``bin/kafka-server-start``, Kafka with the heap that its own script gives it (``-Xms1G -Xmx1G``).

    bin/bench start [ROUNDS]
"""

from __future__ import annotations

import socket
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

from compat.kafka.jvm import java_command
from compat.kafka.stock import StockNode
from compat.node import Node, combined_properties
from compat.ours import BIN, OurNode
from compat.process import ServerProcess
from kafkaproto.headers import encode_request_header
from kafkaproto.messages import MetadataRequest, MetadataResponse

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
METADATA_VERSION = 12
TIMEOUT_S = 60.0
POLL_S = 0.001
STOCK_HEAP = ("-Xms1G", "-Xmx1G")
"""As Kafka's own script has it; without the archive of loaded classes that our tests speed it up with."""


def ask_metadata(port: int) -> bool:
    """Whether a Metadata request is answered with a broker."""
    request = encode_request_header(
        api_key=3, api_version=METADATA_VERSION, correlation_id=1, client_id="bench"
    )
    request += MetadataRequest().encode(METADATA_VERSION)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as stream:
            stream.sendall(struct.pack(">i", len(request)) + request)
            received = stream.makefile("rb")
            (size,) = struct.unpack(">i", received.read(4))
            response, _ = MetadataResponse.decode(received.read(size), METADATA_VERSION, 5)
    except (OSError, struct.error):
        return False
    return len(response.brokers) == 1


def resident_mib(pid: int) -> float:
    """Resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise LookupError(f"process {pid} tells no VmRSS")


def measure(node: Node, command: list[str], log_prefix: Path) -> tuple[float, float]:
    """Seconds from process start to the answer, and MiB resident then; the process is stopped afterwards."""
    port = int(node.bootstrap_server.rpartition(":")[2])
    started = time.perf_counter()
    process = ServerProcess(command, log_prefix, node.directory, {})
    try:
        while not ask_metadata(port):
            if time.perf_counter() - started > TIMEOUT_S or not process.is_running:
                raise SystemExit(f"{command[0]} did not serve within {TIMEOUT_S} s: {process.last_words()}")
            time.sleep(POLL_S)
        return time.perf_counter() - started, resident_mib(process.pid)
    finally:
        process.terminate(TIMEOUT_S)


def main() -> None:
    """Run the rounds and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    measurements: dict[str, list[tuple[float, float]]] = {"ours": [], "stock": []}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        ours = OurNode(base / "ours", combined_properties(base / "ours-data"))
        stock = StockNode(base / "stock", combined_properties(base / "stock-data"))
        ours.format(CLUSTER_ID)
        stock.format(CLUSTER_ID)
        commands = {
            "ours": [str(BIN / "kafka-server-start"), str(ours.properties_path)],
            "stock": java_command("kafka.Kafka", [str(stock.properties_path)], STOCK_HEAP),
        }
        for number in range(rounds + 1):
            for name, node in (("ours", ours), ("stock", stock)):
                measurement = measure(node, commands[name], base / f"{name}-{number}")
                if number:  # The first round warms the page cache.
                    measurements[name].append(measurement)
    print(f"{'':<8}{'start s: min':>14}{'median':>9}{'max':>9}{'resident MiB: median':>23}")
    medians = {}
    for name, rows in measurements.items():
        seconds = [row[0] for row in rows]
        medians[name] = (statistics.median(seconds), statistics.median(row[1] for row in rows))
        print(
            f"{name:<8}{min(seconds):>14.3f}{medians[name][0]:>9.3f}{max(seconds):>9.3f}{medians[name][1]:>23.1f}"
        )
    (our_time, our_memory), (stock_time, stock_memory) = medians["ours"], medians["stock"]
    ratios = f"time {our_time / stock_time:.3f}, memory {our_memory / stock_memory:.3f}"
    print(f"ours/stock of medians, {rounds} rounds: {ratios}")


if __name__ == "__main__":
    main()
