"""The behaviour of a replica, one file per concern: it finds a leader, follows, votes, is elected, leads, resigns."""
