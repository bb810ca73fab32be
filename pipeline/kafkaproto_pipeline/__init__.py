"""A cluster's whole history as data: a Spark data source over the metadata log and its snapshots, and jobs that use it.

Only `datasource` and `jobs` use Spark. The rest turns bytes into Arrow record batches, and directories into plans of
what to read.
"""
