"""What is to be read, cut into pieces of work, and how far a stream has come."""
