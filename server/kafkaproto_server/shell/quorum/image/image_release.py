"""Frees old images in small steps.

If a new image differs from the old one in 300,000 partitions, as many objects become free. To free them at once would
block the event loop for a tenth of a second. So the old image's topics are kept for a while, until nothing else refers
to them, and then dropped one after the other.
"""

from __future__ import annotations

import time
from collections import deque

import trio

from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage

MANY_RECORDS = 5_000
"""If two images are fewer records apart, the objects that become free take only a few milliseconds."""

KEPT_S = 20.0
"""How long others may still use an old image: a broker that looks through the changes, a request that is served from
it."""

SLICE_S = 0.001
PAUSE_S = 0.01


class ImageRelease:
    """The task that frees the remains of old images."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[float, ClusterImage]] = deque()
        self._wake = trio.Event()

    def __len__(self) -> int:
        """The number of images that are kept."""
        return len(self._waiting)

    def replaced(self, old: ClusterImage, new: ClusterImage) -> None:
        """``old`` is no longer needed."""
        # The number of records bounds what differs between the two images.
        if old.topics is not new.topics and new.offset - old.offset >= MANY_RECORDS:
            self._waiting.append((trio.current_time() + KEPT_S, old))
            self._wake.set()

    async def run(self) -> None:
        """Free old images until cancelled."""
        while True:
            if not self._waiting:
                self._wake = trio.Event()
                await self._wake.wait()
            # In the order in which they were replaced, so the first is always the next that is due.
            await trio.sleep_until(self._waiting[0][0])
            # The image itself is let go here. Topics that newer images share stay alive through
            # those.
            topics: deque[TopicImage] = deque(self._waiting.popleft()[1].topics.values())
            begin = time.perf_counter()
            while topics:
                topics.popleft()
                if time.perf_counter() - begin > SLICE_S:
                    await trio.sleep(PAUSE_S)
                    begin = time.perf_counter()
