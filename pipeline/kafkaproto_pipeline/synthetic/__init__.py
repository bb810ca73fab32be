"""Synthetic histories: a metadata log as some large cluster would have written it, from a seed.

For benches, demos and tests of the pipeline. A model of the cluster decides what may happen, so every record fits those
before it: brokers are restarted, crash, flap and lose disks, followers fall behind, topics come, move and go, the
quorum elects. The files are those of controllers, valid for any reader.
"""

from kafkaproto_pipeline.synthetic.history import HistoryOptions, Made, generate

__all__ = ["HistoryOptions", "Made", "generate"]
