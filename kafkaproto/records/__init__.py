"""Record batches of magic 2, and what is inside them: control records, metadata records.

Import from the modules: `batch`, `compression`, `control`, `crc32c`, `metadata`. Nothing is re-exported here,
so that a program that needs only one of them loads only that one.
"""
