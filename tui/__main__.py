"""`python -m tui` is the `verbatim` command for those who have no script folder on their path."""

import sys

from tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
