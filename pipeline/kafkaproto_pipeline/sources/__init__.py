"""Where the bytes of the metadata log are: directories of nodes or a live quorum, and what a log has and committed."""
