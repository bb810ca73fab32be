"""Requests that come too late: from peers whose knowledge of the cluster is outdated or wrong."""
