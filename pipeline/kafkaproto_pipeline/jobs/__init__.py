"""Questions to the metadata log, as Spark jobs: each is a few functions from data frame to data frame."""
