"""Questions to the metadata log, as Spark jobs: each job is a few functions from data frame to data frame."""
