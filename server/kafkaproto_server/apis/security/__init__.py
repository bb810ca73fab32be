"""ACLs, SCRAM credentials and delegation tokens."""
