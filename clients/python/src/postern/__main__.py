"""`python -m postern`."""

import sys

from ._explain.cli import main

if __name__ == "__main__":
    sys.exit(main())
