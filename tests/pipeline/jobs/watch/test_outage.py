"""What a watch stands on while a quorum has no leader: the stream waits, and what it has planned can be read."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from compat.ours import OurNode
from compat.quorum import Quorum
from kafkaproto_pipeline.planning import stream
from kafkaproto_pipeline.sources.live_quorum import LiveQuorum, UnreachableError
from tests.pipeline.planning.test_live import COLUMNS, Living, users
from tests.pipeline.planning.test_stream import Query

EVERYTHING = ReadAllAvailable()


@pytest.mark.slow
def test_a_stream_outlives_the_loss_of_a_majority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        quorum = stack.enter_context(Quorum(OurNode, tmp_path, 3))
        quorum.format()
        quorum.start()
        living = stack.enter_context(closing(Living(quorum)))
        query = Query.of(living.options(), COLUMNS)
        living.write(5)
        query.batch()
        assert users(query.rows) == [f"user-{number}" for number in range(1, 6)]
        living.write(5)
        reader = query.reader
        end = reader.latestOffset(query.start, EVERYTHING)
        leader = quorum.leader()
        lost = [leader, next(node for node in quorum.nodes.values() if node is not leader)]
        for node in lost:
            node.kill()
        planned = reader.partitions(query.start, end)
        rows = [row for each in planned for batch in reader.read(each) for row in batch.to_pylist()]
        assert users(rows) == [f"user-{number}" for number in range(6, 11)]
        assert reader.latestOffset(end, EVERYTHING) == end
        status = reader.reportLatestOffset()
        assert status is not None
        assert status["offset"] == end["offset"]
        with monkeypatch.context() as patch:
            patch.setattr(stream, "LiveQuorum", partial(LiveQuorum, retry_timeout_s=0.1))
            with pytest.raises(UnreachableError, match="did not answer for 0 s"):
                Query.of(living.options(), COLUMNS)
        for node in lost:
            node.start()
        living.write(5)
        query.start = end
        assert users(query.batch()) == [f"user-{number}" for number in range(11, 16)]
        reader.stop()
