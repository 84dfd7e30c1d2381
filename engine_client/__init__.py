"""Other engines as processes: their options and times, UCI and UCCI as their host, dialogues for checks."""
