"""Synthetic histories: the metadata log that some large cluster could have written, made from a seed.

They are for benches, demos and tests of the pipeline. A model of the cluster decides what may happen, so every record
fits those before it: brokers are restarted, crash, flap and lose disks; followers fall behind; topics are created,
moved and deleted; the quorum elects leaders. The files are those of controllers, and any reader can read them.
"""

from kafkaproto_pipeline.synthetic.history import HistoryOptions, Made, generate

__all__ = ["HistoryOptions", "Made", "generate"]
