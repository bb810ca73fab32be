"""Values of the quorum's protocol: voters, messages, events, effects, configs. They decide nothing."""
