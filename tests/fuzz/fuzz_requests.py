"""Coverage-guided fuzzing of the request decoders with atheris. By hand, from the root of the repository:

    python -m tests.fuzz.fuzz_requests [-max_total_time=60] [CORPUS_DIRECTORY]

Options are libFuzzer's. A directory given first is filled with what is found on the way; without one, the
recorded requests of stock nodes are still the start. A failure prints the input and writes it to a file
``crash-...``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["kafkaproto"]):
    from kafkaproto import api
    from kafkaproto.messages import message_class
    from tests.fuzz.support.golden_requests import GOLDEN_REQUESTS
    from tests.fuzz.support.targets import decode_request

    # Generated modules load when first asked for; instrumented they are only if that is here.
    for key in api.api_keys():
        info = api.api_by_key(key)
        assert info is not None
        message_class(f"{info.name}Request")


def main(arguments: list[str]) -> None:
    """Fuzz until a failure or until libFuzzer's options end it; does not return."""
    with tempfile.TemporaryDirectory() as seeds:
        for number, frame in enumerate(GOLDEN_REQUESTS.values()):
            (Path(seeds) / f"golden-{number}").write_bytes(frame)
        atheris.Setup([*arguments, seeds], decode_request_quietly)
        atheris.Fuzz()


def decode_request_quietly(frame: bytes) -> None:
    """The target: atheris wants nothing back."""
    decode_request(frame)


if __name__ == "__main__":
    main(sys.argv)
