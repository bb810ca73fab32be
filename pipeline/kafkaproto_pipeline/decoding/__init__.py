"""From bytes to rows and columns: batches, records, fields, and Arrow arrays of the columns that a caller wants."""
