"""What can be asked of the log's records: the columns of each view, what a caller wants, and the view of the state."""
