"""Ports for the servers of tests."""

import subprocess
import sys

from compat.ports import BLOCK_SIZE, OUTGOING_PORTS, free_port, free_ports


def test_no_outgoing_connection_takes_one() -> None:
    first_outgoing = int(OUTGOING_PORTS.read_text(encoding="ascii").split()[0])
    assert max(free_ports(BLOCK_SIZE // 2)) < first_outgoing


def test_each_is_another_than_the_ones_before() -> None:
    ports = [*free_ports(20), free_port(), *free_ports(20)]
    assert len(set(ports)) == len(ports)


def test_no_two_processes_share_one() -> None:
    code = f"from compat.ports import free_ports; print(*free_ports({BLOCK_SIZE // 2}))"
    theirs = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=30).stdout
    assert not {int(port) for port in theirs.split()} & set(free_ports(BLOCK_SIZE // 2))
