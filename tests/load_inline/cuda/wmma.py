import torch
from torch.utils.cpp_extension import load_inline

# Tensor cores through nvcuda::wmma.
cuda_source = """
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void wmma_kernel(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + blockIdx.x * 16, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n,
                          wmma::mem_row_major);
}
torch::Tensor gemm(torch::Tensor a, torch::Tensor b) {
  const int n = a.size(0);
  auto ah = a.to(torch::kFloat16).contiguous();
  auto bh = b.to(torch::kFloat16).contiguous();
  auto c = torch::empty({n, n}, a.options().dtype(torch::kFloat32));
  wmma_kernel<<<dim3(n / 16, n / 16), 32>>>(
      reinterpret_cast<half*>(ah.data_ptr<at::Half>()),
      reinterpret_cast<half*>(bh.data_ptr<at::Half>()), c.data_ptr<float>(), n);
  return c;
}
"""
cpp_source = """
torch::Tensor gemm(torch::Tensor a, torch::Tensor b);
"""
extension = load_inline(name="wmma_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["gemm"])


def check(device):

    a, b = torch.randn(2, 64, 64, device=device)
    torch.testing.assert_close(extension.gemm(a, b), a @ b, rtol=2e-2,
                               atol=2e-1)
