"""Rules about partitions: placement of replicas, election of leaders, ISR and ELR, reassignments."""
