"""One HTML page that shows a cluster's history. Spark reduces the data; the page is drawn without Spark."""
