"""What administrators ask for: one API a file."""
