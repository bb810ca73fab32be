"""Requests that come too late or to the wrong one, from members, producers and administrators, to coordinators and to
leaders of share partitions. All of them have to be refused."""
