"""What the core takes in, gives out and hands to commands."""
