"""APIs of transactional producers and of those who look after them."""
