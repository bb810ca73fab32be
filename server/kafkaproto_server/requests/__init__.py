"""What a request is while it is served: who sent it, what its handler can reach of the node, what its response says.

Knows no API. Handlers (`apis`), the controller's shell and the dispatcher (`node`) all build on it.
"""
