"""Pure: what the batches of one log say together: leader epochs, producers, transactions."""
