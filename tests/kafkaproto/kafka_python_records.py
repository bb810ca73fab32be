"""kafka-python's record code, the second opinion of these tests. Importing it warns on some Python
versions."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
    from kafka.record.util import encode_varint

__all__ = ["DefaultRecordBatch", "DefaultRecordBatchBuilder", "encode_varint"]
