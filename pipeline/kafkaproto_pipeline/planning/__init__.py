"""What is to be read, cut into pieces of work, and the progress of a stream."""
