"""Command line: ``python -m codegen [--check]``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from codegen.emit_views import emit_views
from codegen.generate import generate, read_schemas
from codegen.parse import SchemaError

ROOT = Path(__file__).resolve().parent.parent
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; fail if a file is stale, missing or extra.")
@click.option("--messages", type=_FOLDER, default=ROOT / "messages", help="Folder of schemas.")
@click.option("--output", type=_FOLDER, default=ROOT / "kafkaproto", help="The package to fill with codecs.")
@click.option(
    "--views",
    type=_FOLDER,
    default=ROOT / "pipeline" / "kafkaproto_pipeline",
    help="The package to fill with views.",
)
def main(check: bool, messages: Path, output: Path, views: Path) -> None:
    """Generate the codecs in kafkaproto/ and the record views in pipeline/ from the message schemas."""
    try:
        schemas = read_schemas(messages)
        files = {output / name: text for name, text in generate(schemas).items()}
        files |= {views / name: text for name, text in emit_views(schemas).items()}
    except SchemaError as error:
        raise click.ClickException(str(error)) from None
    present = {path for folder in (output, views) for path in (folder / "generated").rglob("*.py")}
    stub = output / "messages.pyi"
    if stub.exists():
        present.add(stub)
    stale = [path for path in files if path in present and path.read_text(encoding="utf-8") != files[path]]
    missing = [path for path in files if path not in present]
    extra = sorted(path for path in present if path not in files)
    if check:
        for word, paths in (("stale", stale), ("missing", missing), ("extra", extra)):
            for path in sorted(paths):
                click.echo(f"{word}: {_shown(path, output, views)}")
        if stale or missing or extra:
            click.echo("run bin/codegen")
            sys.exit(1)
        click.echo(f"{len(files)} generated files are up to date")
        return
    for path in (*stale, *missing):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
    for path in extra:
        path.unlink()
    click.echo(f"{len(files)} files: {len(stale) + len(missing)} written, {len(extra)} removed")


def _shown(path: Path, output: Path, views: Path) -> str:
    folder = output if path.is_relative_to(output) else views
    return f"{folder.name}/{path.relative_to(folder).as_posix()}"


if __name__ == "__main__":
    main()
