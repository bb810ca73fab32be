"""From a request on a connection to its response, in slices that hold up nobody."""
