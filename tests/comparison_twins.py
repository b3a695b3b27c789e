"""Compares tensors as keeper.py does on a device: see comparison_twins_test.cc.

Usage: comparison_twins.py SCRIPTS CASES, a folder with keeper.py and a file
that holds a line of JSON for each case and then the bytes of all.  Prints a
line of JSON with what was found for each.
"""

import json
import sys
from typing import Any


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    # pylint: disable=import-error,import-outside-toplevel
    import keeper
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
            keeper.CHUNK = matching.CHUNK = case["chunk"]
            print(json.dumps(keeper.compare(y, r, case["rule"])))


if __name__ == "__main__":
    main()
