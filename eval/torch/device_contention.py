"""How crowded a device is: how many times as long as alone it takes for work that
is given to it at once, by its own clock, which no busy host disturbs.

Processes have a device in turn, some milliseconds each.  So who leaves kernels
to it for another's turn is seen in all that is done then.
"""

import math

import torch

ALONE = 8  # Looks, of which the shortest counts,
ALONE_SECONDS = 1e-3  # each for so long.
LEAST_FILLS = 4


class DeviceContention:
    def __init__(self, memory: torch.Tensor):
        """`memory`: of the device, to be written over."""
        self.memory = memory
        self.fill_s = 0.0
        self.look_alone()

    def look_alone(self) -> None:
        """While no code but the problem's is there."""
        fills = self.fills(ALONE_SECONDS, self.write(LEAST_FILLS))
        self.fill_s = min(self.write(fills) for _ in range(ALONE))

    @staticmethod
    def fills(seconds: float, fill_s: float) -> int:
        return max(LEAST_FILLS, math.ceil(seconds / fill_s))

    def times(self, seconds: float) -> float:
        """As many as they are, by work that takes `seconds` alone."""
        return self.write(self.fills(seconds, self.fill_s)) / self.fill_s

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
