import torch
from torch.utils.cpp_extension import load_inline

# Arithmetic on c10::Half and c10::BFloat16 in a kernel.
cuda_source = """
#include <ATen/ATen.h>
#include <ATen/AccumulateType.h>
template <typename scalar_t>
__global__ void axpy_kernel(const scalar_t* x, const scalar_t* y, scalar_t* z,
                            scalar_t a, int n) {
  using acc_t = at::acc_type<scalar_t, true>;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    acc_t sum = static_cast<acc_t>(a * x[i]);
    sum += y[i];
    z[i] = static_cast<scalar_t>(sum);
  }
}
torch::Tensor axpy(torch::Tensor x, torch::Tensor y, float a) {
  auto z = torch::zeros_like(x);
  const int n = static_cast<int>(x.numel());
  AT_DISPATCH_FLOATING_TYPES_AND2(torch::kHalf, torch::kBFloat16,
                                  x.scalar_type(), "axpy", [&]() {
    axpy_kernel<scalar_t><<<at::ceil_div(n, 256), 256>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), z.data_ptr<scalar_t>(),
        static_cast<scalar_t>(a), n);
  });
  return z;
}
"""
cpp_source = """
torch::Tensor axpy(torch::Tensor x, torch::Tensor y, float a);
"""
extension = load_inline(name="half_math_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["axpy"])


def check(device):

    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x, y = torch.randn(2, 500, device=device, dtype=dtype)
        torch.testing.assert_close(extension.axpy(x, y, 2.0), 2 * x + y)
