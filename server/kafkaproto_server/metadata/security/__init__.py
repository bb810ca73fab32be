"""Access control: ACLs, SCRAM and delegation tokens, as pure functions of the image."""
