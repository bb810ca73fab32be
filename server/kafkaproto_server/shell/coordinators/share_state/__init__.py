"""States of share partitions: the coordinators of ``__share_group_state`` on this broker, and the way to others."""
