"""What a Spark cluster needs of this project to read metadata logs, as one file for `--py-files`.

Also from a terminal: `python -m compat.spark.archive FILE.zip`.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("kafkaproto", "pipeline", "server/__init__.py", "server/types.py", "server/image")


def write_archive(path: Path) -> None:
    """Write it; executors need numpy, pyarrow and the packages that kafkaproto depends on besides."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in PARTS:
            whole = ROOT / part
            files = [whole] if whole.is_file() else sorted(whole.rglob("*"))
            for file in files:
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, file.relative_to(ROOT))


def main() -> None:
    """Write the file that the argument names."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m compat.spark.archive FILE.zip")
    write_archive(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
