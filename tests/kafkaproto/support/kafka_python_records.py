"""kafka-python's record code, a second opinion for these tests. Some Python versions warn when it is imported."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
    from kafka.record.util import encode_varint

__all__ = ["DefaultRecordBatch", "DefaultRecordBatchBuilder", "encode_varint"]
