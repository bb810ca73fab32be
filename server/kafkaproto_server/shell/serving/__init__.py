"""From a request on a connection to its response, in slices that delay nobody else."""
