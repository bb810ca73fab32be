"""Transactions whose partition of ``__transaction_state`` this broker leads, and what leaders ask about them."""
