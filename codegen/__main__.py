"""Command line: ``python -m codegen [--check]``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from codegen.generate import generate, read_schemas
from codegen.parse import SchemaError

ROOT = Path(__file__).resolve().parent.parent
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; fail if a file is stale, missing or extra.")
@click.option("--messages", type=_FOLDER, default=ROOT / "messages", help="Folder of schemas.")
@click.option("--output", type=_FOLDER, default=ROOT / "kafkaproto", help="The package to fill.")
def main(check: bool, messages: Path, output: Path) -> None:
    """Generate the codecs in kafkaproto/ from the message schemas."""
    try:
        files = generate(read_schemas(messages))
    except SchemaError as error:
        raise click.ClickException(str(error)) from None
    present = {path.relative_to(output).as_posix(): path for path in (output / "generated").rglob("*.py")}
    stale = sorted(
        name for name in files if name in present and present[name].read_text(encoding="utf-8") != files[name]
    )
    stub = output / "messages.pyi"
    if stub.exists() and stub.read_text(encoding="utf-8") != files["messages.pyi"]:
        stale.append("messages.pyi")
    missing = sorted(name for name in files if not (output / name).exists())
    extra = sorted(name for name in present if name not in files)
    if check:
        for word, names in (("stale", stale), ("missing", missing), ("extra", extra)):
            for name in names:
                click.echo(f"{word}: {name}")
        if stale or missing or extra:
            click.echo("run bin/codegen")
            sys.exit(1)
        click.echo(f"{len(files)} generated files are up to date")
        return
    for name in (*stale, *missing):
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[name], encoding="utf-8")
    for name in extra:
        present[name].unlink()
    click.echo(f"{len(files)} files: {len(stale) + len(missing)} written, {len(extra)} removed")


if __name__ == "__main__":
    main()
