"""Handlers of requests, by family, and the one table that says which listener serves what.

Synchronous and without streams: a handler gets a decoded request and answers at once, or hands out a `Deferred`.
The cores behind it are reached through the functions in `requests.context.Services`.
"""
