"""``metadata-pipeline`` without what its extra installs, as each of the ways to start it ends then."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXTRA = ("numpy", "pandas", "pyarrow", "pyspark", "plotly")
WITHOUT = """
import importlib.abc, runpy, sys

class Without(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)



import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in {missing!r} else found(name, package)
sys.meta_path.insert(0, Without())
sys.argv = ["metadata-pipeline", "--help"]
{start}
"""
STARTS = {
    "module": "runpy.run_module('kafkaproto_pipeline.jobs', run_name='__main__')",
    "script": "from kafkaproto_pipeline.jobs.entry import run; run()",
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("missing", [EXTRA, ("pyspark",)], ids=["all", "Spark"])
def test_it_says_in_a_sentence_what_to_install(missing: tuple[str, ...], start: str) -> None:
    code = WITHOUT.format(missing=missing, start=STARTS[start])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"metadata-pipeline needs the extra 'pipeline' ({', '.join(missing)} cannot be imported):"
        " pip install 'kafkaproto[pipeline]'\n"
    )


def test_the_extra_is_what_the_package_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    installed = {
        line.partition(">")[0].partition("[")[0] for line in project["optional-dependencies"]["pipeline"]
    }
    assert installed == set(EXTRA)


def test_the_other_scripts_need_no_extra() -> None:
    """They start with what the package itself depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    modules = [
        each.partition(":")[0] for name, each in project["scripts"].items() if name != "metadata-pipeline"
    ]
    start = "".join(f"import {each}\n" for each in modules)
    code = WITHOUT.format(missing=EXTRA, start=start)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
