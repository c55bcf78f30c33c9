"""Run the command line: `python -m symoro` and the command `symoro`."""

import sys


def main() -> int:
    """Run the command line and return the exit code, also if Ctrl-C interrupts the imports."""
    try:
        from symoro.ui.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("symoro: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
