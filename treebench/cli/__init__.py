"""The command line: one file per verb, each thin (parse, call, print).

Nothing is imported here but the errors, so that Ctrl-C is answered from the first moment on.
"""

from __future__ import annotations

import errno
import signal
import sys

from treebench.cli.streams import STDOUT, forget, has_reader, open_streams
from treebench.errors import ExitCode, TreebenchError
from treebench.runner.stop import stop_on_sigterm


def main(arguments: list[str] | None = None) -> None:
    """Run a verb and end the process with its exit code. The only place that prints errors."""
    # Some supervisors block them, and all that a run starts and stops would inherit it.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        code = _exit_code(arguments)
    except KeyboardInterrupt:  # a second one, while the first was being answered
        code = ExitCode.INTERRUPTED
    if code == ExitCode.INTERRUPTED:
        # The process is ending already; one more Ctrl-C has nothing to add but a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def _exit_code(arguments: list[str] | None) -> int:
    try:
        open_streams()
        with stop_on_sigterm():
            from treebench.cli.verbs import call

            code = call(arguments)
        # Here, and not when the interpreter ends, where a full disk would be a traceback.
        sys.stdout.flush()
        return code
    except TreebenchError as error:
        _print(*error.problems)
        return error.exit_code
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except OSError as error:
        return _answered(error)


def _answered(error: OSError) -> int:
    """The exit code after a failure of the machine that no verb has put into its own words."""
    broken = isinstance(error, BrokenPipeError)
    # `treebench show | head`: the reader has what it wanted. No other pipe may end this quietly.
    satisfied = broken and not has_reader(STDOUT)
    forget(STDOUT)
    if satisfied:
        return ExitCode.OK
    if error.errno in (errno.EMFILE, errno.ENFILE):
        _print(f"{error.strerror}; raise the limit (ulimit -n) and type the command again")
        return ExitCode.USAGE
    unnamed = "a process in use has ended" if broken else "the output cannot be written"
    what = error.filename or unnamed
    _print(f"{what}: {error.strerror or error}; mend that and type the command again")
    return ExitCode.USAGE


def _print(*problems: str) -> None:
    for problem in problems:
        sys.stderr.write(f"treebench: {_one_line(problem)}\n")


def _one_line(problem: str) -> str:
    """The problem with the line breaks and control characters of a name or value spelt out, so
    that neither can look like a line of its own."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in problem)
