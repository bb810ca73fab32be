"""Runs the replicas of a broker: their logs on disk, the requests that wait for them, the fetchers of followers."""
