"""`python -m treebench`."""

from treebench.cli import main

main()
