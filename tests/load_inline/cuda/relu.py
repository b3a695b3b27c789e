import torch
from torch.utils.cpp_extension import load_inline

# The one line: an elementwise kernel.
cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void relu_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}

torch::Tensor relu_cuda(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int n = x.numel();
  relu_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(),
                                        y.data_ptr<float>(), n);
  return y;
}
"""
cpp_source = """
torch::Tensor relu_cuda(torch::Tensor x);
"""
extension = load_inline(name="relu_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["relu_cuda"])


def check(device):

    x = torch.randn(4099, device=device)
    torch.testing.assert_close(extension.relu_cuda(x), x.relu())
