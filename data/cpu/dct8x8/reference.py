import math

import torch


def run(x):
    u = torch.arange(8, dtype=torch.float64)[:, None]
    i = torch.arange(8, dtype=torch.float64)[None, :]
    basis = 0.5 * torch.cos((2 * i + 1) * u * math.pi / 16)
    basis[0] = math.sqrt(0.125)
    basis = basis.to(x.dtype)
    return basis @ x @ basis.T
