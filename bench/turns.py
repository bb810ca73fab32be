"""How long the largest request of each api holds the loop: CPU time of its longest turn, and of all of them.

    bin/bench turns [--key API_KEY]... [--slowest N]

The node has 20,000 partitions. Each api is asked at its lowest and highest version, on both kinds of listeners, for
as many elements as its bounds allow (all the same, the names of topics, names of 32,767 letters), as somebody who
may do everything and as somebody who may do nothing. What the controller's core takes for a command is listed
apart.
"""

from __future__ import annotations

import click

from tests.node.support.hostile_requests import LargeCluster, authorizers, frames, rows


@click.command(help=__doc__)
@click.option("--key", "keys", type=int, multiple=True, help="An api key; all if none is given.")
@click.option("--slowest", default=40, show_default=True, help="Rows to print.")
def main(keys: tuple[int, ...], slowest: int) -> None:
    """Serve all frames and print the slowest."""
    cluster = LargeCluster()
    guards = authorizers()
    found = []
    for kind, key in rows():
        if keys and key not in keys:
            continue
        for frame in frames(kind, key, cluster.topic_names):
            for name, guard in guards.items():
                served = cluster.serve(frame, kind, guard)
                found.append(
                    (
                        served.longest_ms,
                        served.all_ms,
                        max(served.core_turns_ms, default=0.0),
                        f"{kind.value:10} {name:10} {len(frame.data):9,} B  {frame.label}",
                    )
                )
    print(f"{len(found)} requests\nlongest turn   all turns   longest of the controller (ms)")
    for longest, total, core, label in sorted(found, reverse=True)[:slowest]:
        print(f"{longest:12.1f} {total:11.0f} {core:29.1f}   {label}")


if __name__ == "__main__":
    main()
