import torch
from torch.utils.cpp_extension import load_inline

# What only all of torch's headers have.
source = """
#include <torch/torch.h>
torch::Tensor through(torch::Tensor x) {
  return torch::nn::functional::gelu(x);
}
"""
LEVEL = "full"
extension = load_inline(name="neural", cpp_sources=source,
                        functions=["through"])


def check(device):
    x = torch.randn(9)
    torch.testing.assert_close(extension.through(x),
                               torch.nn.functional.gelu(x))
