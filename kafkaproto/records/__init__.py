"""Record batches of magic 2 and their content: control records and metadata records.

Import from the modules: `batch`, `compression`, `control`, `crc32c`, `metadata`. Nothing is re-exported here, so that
a program which needs only one of them loads only that one.
"""
