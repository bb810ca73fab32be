"""What handlers may use of the node that they run in, a file a family. A handler names only the families that it needs.

What lies beside the handlers or below them, as the coordinators do, is used as it is. What drives them is behind
protocols and functions here. A protocol names the class of the shell that implements it. What they return changes: an
image is the one at the moment of the call.
"""
