import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    offsets = tl.arange(0, BLOCK)
    # Each lane has its own, so that the loop has no reduction in it.
    most = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + offsets
        value = tl.load(x + row + at, mask=at < columns, other=float("-inf"))
        above = tl.maximum(most, value)
        # A lane that has seen nothing yet adds nothing.
        base = tl.where(above == float("-inf"), 0.0, above)
        total = total * tl.exp(most - base) + tl.exp(value - base)
        most = above
    peak = tl.max(most, 0)
    scale = 1.0 / tl.sum(total * tl.exp(most - peak), 0)
    for start in range(0, columns, BLOCK):
        at = start + offsets
        value = tl.load(x + row + at, mask=at < columns)
        tl.store(y + row + at, tl.exp(value - peak) * scale, mask=at < columns)


class ModelNew(nn.Module):
    """Rows of any length, read twice."""

    def forward(self, x):
        y = torch.empty_like(x)
        softmax[(x.shape[0],)](x, y, x.shape[1], BLOCK=4096, num_warps=8)
        return y
