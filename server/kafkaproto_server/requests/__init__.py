"""What belongs to a request while it is served: its sender, what its handler may use of the node, and the forms of its
response.

This package knows no API. The handlers (`apis`), the controller's shell and the dispatcher (`node`) build on it.
"""
