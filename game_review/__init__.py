"""`sanqi analyse` and `sanqi review`: requests, threads that search, tables and pages."""
