"""The table of rules: the conditions of the product that guard a promise, and in how many runs each one is decisive."""
