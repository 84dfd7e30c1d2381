"""What games share: description, session, records, display, types of analysis and review, helpers of commands."""
