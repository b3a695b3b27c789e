import torch
from torch.utils.cpp_extension import load_inline

# The library handle that torch keeps.
cuda_source = """
#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>
torch::Tensor gemm(torch::Tensor a, torch::Tensor b) {
  auto c = torch::empty({a.size(0), b.size(1)}, a.options());
  cublasHandle_t handle = at::cuda::getCurrentCUDABlasHandle();
  const float one = 1.0f, zero = 0.0f;
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  const auto status = cublasSgemm(
      handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data_ptr<float>(), n,
      a.data_ptr<float>(), k, &zero, c.data_ptr<float>(), n);
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, "cuBLAS: ", (int)status);
  return c;
}
"""
cpp_source = """
torch::Tensor gemm(torch::Tensor a, torch::Tensor b);
"""
extension = load_inline(name="cublas_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["gemm"],
                        extra_ldflags=["-lcublas"])


def check(device):

    a, b = (torch.randn(50, 60, device=device),
            torch.randn(60, 70, device=device))
    torch.testing.assert_close(extension.gemm(a, b), a @ b, rtol=1e-3,
                               atol=1e-3)
