"""Run the command line: `python -m symoro` does the same as the command `symoro`."""

from symoro.ui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
