"""What handlers may use of the node that they run in, a file a family. A handler names only the families that it needs.

What lies beside the handlers or below them, as the coordinators do, is used as it is. For what drives them there are
protocols and functions here, which the shell fills in. What they return changes: an image is the one at the moment of
the call.
"""
