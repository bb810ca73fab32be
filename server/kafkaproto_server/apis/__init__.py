"""The handlers of requests, by family, and the table that says which listener serves which API.

Handlers are synchronous and know no streams: a handler gets a decoded request and returns a response at once, or a
`Deferred`. It reaches the cores through the functions in `requests.context.Services`.
"""
