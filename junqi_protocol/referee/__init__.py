"""The referee, its clients and watchers; matches."""
