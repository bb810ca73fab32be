"""Who may do what, and how it is proven: pure decisions over the image."""
