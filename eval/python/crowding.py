"""How crowded a device is: how many times as long as alone it takes for work that
is given to it at once, by its own clock, which no busy host disturbs.

Processes have a device in turn, some milliseconds each.  So who leaves kernels
to it for another's turn is seen in all that is done then.
"""

import math

import torch

ALONE = 8  # Looks at a device that is nobody else's yet,
ALONE_SECONDS = 1e-3  # each for so long.
LEAST_FILLS = 4


class Crowding:
    def __init__(self, memory: torch.Tensor):
        """`memory`: of the device, to be written over."""
        self.memory = memory
        self.fill_s = self.write(LEAST_FILLS)
        for _ in range(ALONE):
            self.times(ALONE_SECONDS)

    def times(self, seconds: float) -> float:
        """As many as they are, by work that takes `seconds` alone."""
        fills = max(LEAST_FILLS, math.ceil(seconds / self.fill_s))
        taken = self.write(fills)
        self.fill_s = min(self.fill_s, taken)
        return taken / self.fill_s

    def write(self, fills: int) -> float:
        """Seconds of each."""
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(fills):
            self.memory.fill_(1)
        end.record()
        end.synchronize()
        return 1e-3 * begin.elapsed_time(end) / fills
