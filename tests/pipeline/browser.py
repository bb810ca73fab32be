"""A browser without a screen, which opens a page from a file with the network off."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = "chromium-headless-shell"
TIMEOUT_S = 120
VIRTUAL_MS = 20_000
"""The page's clock runs ahead while nothing else is to be done, so that waiting costs no time."""
_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    # Whatever asks for the network meets a closed door, and is in the browser's log of it.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
    "--enable-logging=stderr",
    "--v=0",
    f"--virtual-time-budget={VIRTUAL_MS}",
)
_CONSOLE = re.compile(r'\[[^\]]*:CONSOLE:\d+\] "(.*)", source: \S* \(\d+\)$')
_RESULT = "RESULT "


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What came of a page that was opened."""

    result: Any
    """What the test's own script reported."""
    console: Sequence[str]
    """All that was written to the console besides: complaints."""
    requests: Sequence[str]
    """Addresses that the browser tried to reach."""
    screenshot: bytes


def open_page(
    text: str, script: str, folder: Path, *, dark: bool = False, width_px: int = 1240, height_px: int = 2400
) -> Opened:
    """Open the page with a script of the test at its end, which calls ``report`` with what it found."""
    browser = shutil.which(COMMAND)
    assert browser, f"{COMMAND} is missing: compat/install --clients brings it"
    helper = f"const report = (found) => console.log({_RESULT!r} + JSON.stringify(found));"
    page, picture, log = folder / "page.html", folder / "page.png", folder / "network.json"
    page.write_text(text.replace("</body>", f"<script>{helper}\n{script}</script></body>"), encoding="utf-8")
    command = [
        browser,
        *_OPTIONS,
        f"--user-data-dir={folder / 'profile'}",
        f"--log-net-log={log}",
        f"--screenshot={picture}",
        f"--window-size={width_px},{height_px}",
        *(["--blink-settings=preferredColorScheme=0"] if dark else []),
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True, cwd=folder)
    lines = [found[1] for line in done.stderr.splitlines() if (found := _CONSOLE.search(line))]
    results = [line.removeprefix(_RESULT) for line in lines if line.startswith(_RESULT)]
    assert len(results) == 1, (lines, done.stderr[-2000:])
    requests = re.findall(r'"url":"((?!file:|data:|blob:)[^"]+)"', log.read_text())
    return Opened(
        result=json.loads(results[0]),
        console=[line for line in lines if not line.startswith(_RESULT)],
        requests=sorted(set(requests)),
        screenshot=picture.read_bytes(),
    )
