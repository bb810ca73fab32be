"""Commands: the requests of administrators, one file per API (or per family of APIs)."""
