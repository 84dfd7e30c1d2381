"""The program `sanqi`: command line and detection of the protocol by the first line."""
