"""The offsets that groups and transactional producers commit."""
