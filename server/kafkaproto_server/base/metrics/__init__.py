"""The server's metrics: plain integers to which any part of the server may add, and statistics computed from them on
demand.

Pure: no clock, no text format. To count costs an addition or two; the reader of a metric pays for the rest.
"""
