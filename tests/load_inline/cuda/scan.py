import torch
from torch.utils.cpp_extension import load_inline

# Blocks of a scan, a struct, constant memory, lambdas.
cuda_source = """
struct Range { int from, to; };
__constant__ float kWeights[4] = {1.0f, 0.5f, 0.25f, 0.125f};
__global__ void smooth_kernel(const float* x, float* y, Range range) {
  const auto at = [&](int i) { return i >= range.from ? x[i] : 0.0f; };
  const int i = range.from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= range.to) return;
  float sum = 0.0f;
  #pragma unroll
  for (int k = 0; k < 4; ++k) sum = fmaf(kWeights[k], at(i - k), sum);
  y[i] = sum;
}
torch::Tensor smooth(torch::Tensor x) {
  auto y = torch::empty_like(x, x.options().requires_grad(false));
  const Range range{0, static_cast<int>(x.numel())};
  auto launch = [&](int threads) {
    const int blocks = (range.to + threads - 1) / threads;
    smooth_kernel<<<blocks, threads>>>(x.const_data_ptr<float>(),
                                       y.mutable_data_ptr<float>(), range);
  };
  launch(128);
  return y;
}
"""
cpp_source = """
torch::Tensor smooth(torch::Tensor x);
"""
extension = load_inline(name="scan_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["smooth"])


def check(device):

    x = torch.randn(500, device=device)
    w = torch.tensor([0.125, 0.25, 0.5, 1.0], device=device)
    padded = torch.nn.functional.pad(x, (3, 0))
    torch.testing.assert_close(extension.smooth(x), padded.unfold(0, 4, 1) @ w,
                               rtol=1e-5, atol=1e-5)
