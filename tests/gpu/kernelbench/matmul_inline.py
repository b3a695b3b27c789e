import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
constexpr int kTile = 128;   // Of the product, for a block of 256 threads.
constexpr int kDepth = 16;

__global__ __launch_bounds__(256) void multiply(const float* a, const float* b,
                                                float* c, int n) {
  __shared__ __align__(16) float left[kDepth][kTile];  // Transposed.
  __shared__ __align__(16) float right[kDepth][kTile];
  const int row = blockIdx.y * kTile;
  const int column = blockIdx.x * kTile;
  // A thread has four rows and columns here, and again 64 further on.
  const int y = threadIdx.x / 16 * 4;
  const int x = threadIdx.x % 16 * 4;
  float sums[8][8] = {};
  for (int k = 0; k < n; k += kDepth) {
#pragma unroll
    for (int i = threadIdx.x; i < kTile * kDepth / 4; i += 256) {
      const int r = i / 4;
      const int d = i % 4 * 4;
      const float4 v = *(const float4*)(a + (size_t)(row + r) * n + k + d);
      left[d][r] = v.x;
      left[d + 1][r] = v.y;
      left[d + 2][r] = v.z;
      left[d + 3][r] = v.w;
      const int e = i / 32;
      const int q = i % 32 * 4;
      *(float4*)&right[e][q] =
          *(const float4*)(b + (size_t)(k + e) * n + column + q);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      __align__(16) float l[8];
      __align__(16) float r[8];
      *(float4*)&l[0] = *(const float4*)&left[d][y];
      *(float4*)&l[4] = *(const float4*)&left[d][y + 64];
      *(float4*)&r[0] = *(const float4*)&right[d][x];
      *(float4*)&r[4] = *(const float4*)&right[d][x + 64];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] += l[i] * r[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* to = c + (size_t)(row + y + i % 4 + i / 4 * 64) * n + column + x;
    *(float4*)to = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    *(float4*)(to + 64) =
        make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
  }
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  auto c = torch::empty_like(a);
  const int n = a.size(0);
  multiply<<<dim3(n / kTile, n / kTile), 256>>>(
      a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), n);
  return c;
}
"""

module = load_inline(
    name="matmul_inline",
    cpp_sources="torch::Tensor matmul(torch::Tensor a, torch::Tensor b);",
    cuda_sources=CUDA,
    functions=["matmul"],
)


class ModelNew(nn.Module):
    """Square matrices of a multiple of 128, in single precision."""

    def forward(self, A, B):
        return module.matmul(A, B)
