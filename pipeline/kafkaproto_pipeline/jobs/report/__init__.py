"""One HTML page that shows a cluster's history: reduced by Spark, then drawn without it."""
