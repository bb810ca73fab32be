"""The cluster's whole history as data: a Spark data source over the metadata log and its snapshots, and jobs on it.

Spark is at the edge: only `datasource` and `jobs` know of it. The rest turns bytes into Arrow record batches, and
directories into plans of what to read.
"""
