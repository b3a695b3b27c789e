import torch
from torch.utils.cpp_extension import load_inline

# Half precision through the types of CUDA.
cuda_source = """
#include <cuda_fp16.h>
__global__ void scale_kernel(const __half2* x, __half2* y, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hmul2(x[i], __float2half2_rn(s));
}
torch::Tensor scale_half(torch::Tensor x, double s) {
  TORCH_CHECK(x.dtype() == torch::kHalf, "half only");
  auto y = torch::empty_like(x);
  const int n = x.numel() / 2;
  scale_kernel<<<(n + 127) / 128, 128>>>(
      reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()),
      reinterpret_cast<__half2*>(y.data_ptr<at::Half>()), (float)s, n);
  return y;
}
"""
cpp_source = """
torch::Tensor scale_half(torch::Tensor x, double s);
"""
extension = load_inline(name="half2_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["scale_half"])


def check(device):

    x = torch.randn(400, device=device).half()
    torch.testing.assert_close(extension.scale_half(x, 2.0), x * 2)
