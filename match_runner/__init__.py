"""Engine against engine: matches, their statistics and reports."""
