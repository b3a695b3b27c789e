import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void relu_kernel(const float4* x, float4* y, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  y[i] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
}

torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  size_t n = x.numel() / 4;
  relu_kernel<<<(n + 255) / 256, 256>>>((const float4*)x.data_ptr<float>(),
                                        (float4*)y.data_ptr<float>(), n);
  return y;
}
"""

module = load_inline(
    name="relu_inline",
    cpp_sources="torch::Tensor relu(torch::Tensor x);",
    cuda_sources=CUDA,
    functions=["relu"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.relu(x)
