"""Values of the quorum's protocol: voters, messages, events, effects, settings. They decide nothing."""
