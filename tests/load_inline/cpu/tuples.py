import torch
from torch.utils.cpp_extension import load_inline

# Several outputs, shapes from lists, sizes that negative indices name.
source = """
std::tuple<torch::Tensor, torch::Tensor, int64_t> extremes(torch::Tensor x) {
  auto flat = x.reshape({-1});
  return std::make_tuple(flat.min(), flat.max(), x.size(-1));
}

torch::Tensor zeros_of(std::vector<int64_t> shape, torch::ScalarType type) {
  return torch::zeros(shape, torch::TensorOptions().dtype(type));
}

bool same(torch::Tensor a, torch::Tensor b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         a.device() == b.device() && a.is_contiguous() == b.is_contiguous();
}
"""
extension = load_inline("tuples_ext", source,
                        functions=["extremes", "zeros_of", "same"])


def check(device):
    x = torch.randn(3, 5)
    low, high, width = extension.extremes(x)
    assert (low, high, width) == (x.min(), x.max(), 5)
    assert isinstance(extension.extremes(x), tuple)
    z = extension.zeros_of([2, 3], torch.int32)
    assert z.shape == (2, 3) and z.dtype == torch.int32
    assert extension.same(x, x.clone()) and not extension.same(x, x.t())


MISTAKES = [
    lambda: extension.zeros_of("ab", torch.int32),
    lambda: extension.zeros_of([-1], torch.int32),
    lambda: extension.same(None, None),
]
