"""How long a person waits for `treebench --help`."""
