"""Replicas that follow: who fetches from which leader, how fast, and how an ISR is changed."""
