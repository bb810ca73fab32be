"""What a replica does, one concern a file: it seeks a leader, follows, votes, is elected, leads, goes."""
