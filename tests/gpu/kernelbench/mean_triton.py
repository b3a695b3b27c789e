import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mean(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    matrix = tl.program_id(1).to(tl.int64)
    inside = (column < columns)[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    start = x + matrix * rows * columns
    for row in range(0, rows, ROWS):
        line = (row + tl.arange(0, ROWS))[:, None]
        at = line * columns + column[None, :]
        total += tl.load(start + at, mask=inside & (line < rows), other=0.0)
    tl.store(y + matrix * columns + column, tl.sum(total, 0) / rows,
             mask=column < columns)


class ModelNew(nn.Module):
    """The mean over the middle one of three dimensions."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        if self.dim != 1:
            raise ValueError("only of dimension 1")
        matrices, rows, columns = x.shape
        y = torch.empty(matrices, columns, device=x.device, dtype=x.dtype)
        mean[(triton.cdiv(columns, 128), matrices)](
            x, y, rows, columns, ROWS=32, COLUMNS=128, num_warps=4
        )
        return y
