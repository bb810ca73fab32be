"""MirrorMaker 2 as a process: its dedicated driver, which copies topics and offsets of groups between two clusters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from compat.kafka.jvm import MIRROR_MAKER, TOOL_OPTIONS, ClassArchive, class_path, java_command
from compat.process import ServerProcess

STOP_S = 90.0
SETTINGS = {
    "sync.group.offsets.enabled": "true",
    # Every record's place in the copy is told, so that offsets of groups are translated as exactly as they can be.
    "offset.lag.max": "0",
    # Once a second what it does once a minute or ten by default.
    "refresh.topics.interval.seconds": "1",
    "refresh.groups.interval.seconds": "1",
    "sync.topic.configs.interval.seconds": "1",
    "sync.group.offsets.interval.seconds": "1",
    "emit.checkpoints.interval.seconds": "1",
    **{
        f"{each}.replication.factor": "1"
        for each in (
            *("checkpoints.topic", "heartbeats.topic", "offset-syncs.topic"),
            *("config.storage", "offset.storage", "status.storage"),
        )
    },
    "offset.storage.partitions": "2",
    "status.storage.partitions": "1",
    "replication.factor": "1",
    "offset.flush.interval.ms": "500",
    "scheduled.rebalance.max.delay.ms": "0",
}


class MirrorMaker:
    """The driver. It copies topics that begin with a cluster's name to the other one, in both directions."""

    def __init__(self, folder: Path, clusters: Mapping[str, str]) -> None:
        """Starts it and returns at once; ``clusters`` are two: name -> bootstrap servers."""
        folder.mkdir(parents=True)
        first, second = clusters
        settings = {"clusters": ",".join(clusters)}
        settings |= {f"{name}.bootstrap.servers": servers for name, servers in clusters.items()}
        # Spares a look at every class of every jar, which takes long on a busy machine.
        settings |= {f"{name}.plugin.discovery": "service_load" for name in clusters}
        for source, target in ((first, second), (second, first)):
            flow = f"{source}->{target}"
            settings |= {
                f"{flow}.enabled": "true",
                f"{flow}.topics": f"{source}-.*",
                f"{flow}.groups": f"{source}-.*",
            }
        configuration = folder / "mirror.properties"
        configuration.write_text(
            "".join(f"{key}={value}\n" for key, value in {**settings, **SETTINGS}.items())
        )
        self._archive = ClassArchive("mirror-maker", class_path(MIRROR_MAKER))
        options = [*TOOL_OPTIONS, *self._archive.options]
        command = java_command(MIRROR_MAKER, [str(configuration)], options)
        self.process = ServerProcess(command, folder / "mirror-maker", folder, {})

    def stop(self) -> None:
        """Has it end as an operator would. Raises WaitedTooLongError."""
        self.process.terminate(STOP_S)
        self._archive.keep()

    def close(self) -> None:
        """Leaves no process behind."""
        self.process.kill()
