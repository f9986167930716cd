"""`python -m clift`: the command-line tool, in place of this process."""

import os
import sys

from . import tool


def main() -> None:
    """Becomes the tool, with the same arguments."""
    os.execv(tool(), ["clift", *sys.argv[1:]])


if __name__ == "__main__":
    main()
