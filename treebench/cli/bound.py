"""`python -m treebench.cli.bound PID WORDS...`: a verb for another process, that ends with it.

The process that asks may be killed by something that no handler sees. The verb is then
interrupted, as by Ctrl-C, so that it takes away what it has half written.
"""

from __future__ import annotations

import signal
import sys

from treebench.cli import main
from treebench.worker.lifeline import die_with

if __name__ == "__main__":
    # A shell starts what runs in the background with SIGINT ignored, and that is inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        die_with(int(sys.argv[1]), signal.SIGINT)
    except KeyboardInterrupt:
        sys.exit(130)
    main(sys.argv[2:])
