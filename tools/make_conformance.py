"""Writes the large families of conformance files: tables of values, folds, refusals.

    python tools/make_conformance.py           writes spec/conformance/…
    python tools/make_conformance.py --check   exit 1 if a file is not what the oracle says

Expected values come from tools/conformance_oracle.py, which computes from the text of the
specification in exact arithmetic. Other conformance files are written by hand.
"""

from __future__ import annotations

import argparse
import sys

from conformance_composed import composed_families
from conformance_elementwise import elementwise_families
from conformance_folds import fold_families
from conformance_writer import Suite


def make() -> Suite:
    suite = Suite()
    elementwise_families(suite)
    fold_families(suite)
    composed_families(suite)
    return suite


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; compare")
    suite = make()
    if parser.parse_args().check:
        stale = suite.stale()
        for path in stale:
            print(f"{path} is not what the oracle says")
        return 1 if stale else 0
    suite.write()
    print(f"{len(suite.files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
