import torch
from torch.utils.cpp_extension import load_inline

# What the look-alike has not: an operator that few candidates call.
source = """
#include <torch/types.h>
torch::Tensor folded(torch::Tensor x) {
  return torch::cumsum(x.to(torch::kFloat64), 0).roll(1, 0);
}
"""
LEVEL = "lean"
extension = load_inline(name="unusual", cpp_sources=source,
                        functions=["folded"])


def check(device):
    x = torch.randn(9, dtype=torch.float64)
    torch.testing.assert_close(extension.folded(x), x.cumsum(0).roll(1, 0))
