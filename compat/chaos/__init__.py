"""Random faults under load, drawn from a seed: processes, links and a disk; nothing acknowledged may be lost."""
