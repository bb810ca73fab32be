"""The bytes of the metadata log: directories of nodes or a live quorum; what a log has, and what of it is committed."""
