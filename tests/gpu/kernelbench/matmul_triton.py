import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, N, TILE: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr):
    tiles = N // TILE
    pid = tl.program_id(0)
    group = pid // (GROUP * tiles)
    row = group * GROUP + pid % GROUP
    column = (pid % (GROUP * tiles)) // GROUP
    rows = row * TILE + tl.arange(0, TILE)
    columns = column * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, DEPTH)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, N, DEPTH):
        left = tl.load(a + rows[:, None] * N + (k + depth)[None, :])
        right = tl.load(b + (k + depth)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total, input_precision="tf32x3")
    tl.store(c + rows[:, None] * N + columns[None, :], total)


class ModelNew(nn.Module):
    """Three products of tensor cores for one in single precision."""

    def forward(self, A, B):
        n = A.shape[0]
        C = torch.empty_like(A)
        matmul[((n // 128) ** 2,)](
            A, B, C, n, TILE=128, DEPTH=32, GROUP=8, num_warps=8, num_stages=3
        )
        return C
