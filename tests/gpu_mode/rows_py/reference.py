import torch

from task import input_t, output_t
from utils import make_match_reference


def generate_input(rows: int, columns: int, kind: str, seed: int) -> input_t:
    gen = torch.Generator()
    gen.manual_seed(seed)
    a = torch.randn(rows, columns, generator=gen)
    b = torch.randn(columns, rows, generator=gen).t()
    weights = {"scale": torch.randn(rows, generator=gen), "offset": None}
    if kind == "gaps":
        weights["scale"][::2] = 0.0
    return a, b, weights, 0.5


def ref_kernel(data: input_t) -> output_t:
    a, b, weights, factor = data
    return a * weights["scale"][:, None] + factor * b


check_implementation = make_match_reference(ref_kernel, rtol=1e-3, atol=1e-3)
