"""Compares tensors as is done on a device: see comparison_twins_test.cc.

Usage: comparison_twins.py SCRIPTS CASES, a folder with comparison.py and a file
that holds a line of JSON for each case and then the bytes of all.  Prints a
line of JSON for each, with what was found alone and among others.
"""

import json
import sys
from typing import Any


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    # pylint: disable=import-error,import-outside-toplevel
    import comparison
    import matching
    import torch
    from worker import DTYPES

    torch.set_num_threads(1)
    with open(sys.argv[2], "rb") as file:
        cases = json.loads(file.readline())

        def tensor(case: dict[str, Any]) -> torch.Tensor:
            data = bytearray(file.read(case["bytes"]))
            dtype = DTYPES[case["dtype"]]
            if not data:
                return torch.empty(0, dtype=dtype)
            return torch.frombuffer(data, dtype=torch.uint8).view(dtype)

        for case in cases:
            y, r = tensor(case), tensor(case)
            comparison.CHUNK = matching.CHUNK = case["chunk"]
            comparison.MANY = case["chunk"]
            found = [comparison.compare(y, r, case["rule"])]
            found += comparison.compare_all([(y, r), (r, r)], case["rule"])
            print(json.dumps(found[:2]))


if __name__ == "__main__":
    main()
