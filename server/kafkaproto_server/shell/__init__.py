"""What touches sockets, disks, threads and clocks: it drives the cores and carries out what they decide."""
