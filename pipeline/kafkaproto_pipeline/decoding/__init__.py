"""From bytes to rows and columns: batches, records, fields, and Arrow arrays of what is wanted."""
