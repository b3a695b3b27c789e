import torch
from torch.utils.cpp_extension import load_inline

# One function, element pointers, a size from the tensor.
source = """
torch::Tensor row_scale(torch::Tensor x, torch::Tensor scale) {
  TORCH_CHECK(x.dim() == 2, "x must be 2D, got sizes ", x.sizes());
  TORCH_CHECK(scale.size(0) == x.size(0), "one scale per row");
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const float* in = x.data_ptr<float>();
  float* out = y.data_ptr<float>();
  for (int64_t i = 0; i < x.size(0); ++i) {
    const float s = scale.data_ptr<float>()[i];
    for (int64_t j = 0; j < x.size(1); ++j) {
      out[i * x.size(1) + j] = s * in[i * x.size(1) + j];
    }
  }
  return y;
}
"""
extension = load_inline(name="row_scale", cpp_sources=source,
                        functions=["row_scale"])


def check(device):
    x, s = torch.randn(5, 7), torch.randn(5)
    torch.testing.assert_close(extension.row_scale(x.t().contiguous().t(), s),
                               x * s[:, None])


# What Python sees of each, at every level.
MISTAKES = [
    lambda: extension.row_scale(torch.randn(5), torch.randn(5)),
    lambda: extension.row_scale(torch.randn(2, 2), torch.randn(3)),
    lambda: extension.row_scale(torch.randn(2, 2).double(), torch.randn(2)),
    lambda: extension.row_scale(torch.randn(2, 2)),
    lambda: extension.row_scale(3, torch.randn(2)),
    lambda: extension.row_scale(torch.randn(2, 2), y=torch.randn(2)),
]
