"""What the server counts of itself: plain integers that any room may add to, and figures made of them on demand.

Pure: no clock, no text format. Who counts pays an addition or two; whoever looks pays for the rest.
"""
