"""``bin/test``: which tests run, in which processes and in which order, and what is told of them."""
