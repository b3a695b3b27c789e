import torch
from torch.utils.cpp_extension import load_inline

# A tiled matrix product in shared memory.
cuda_source = """
#define TILE 16
__global__ void matmul_kernel(const float* A, const float* B, float* C, int M,
                              int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    int a = t * TILE + threadIdx.x, b = t * TILE + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = row < M && a < K ? A[row * K + a] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = b < K && col < N ? B[b * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

torch::Tensor matmul(torch::Tensor A, torch::Tensor B) {
  TORCH_CHECK(A.size(1) == B.size(0), "inner sizes differ: ", A.size(1),
              " and ", B.size(0));
  const int M = A.size(0), K = A.size(1), N = B.size(1);
  auto C = torch::zeros({M, N}, A.options());
  dim3 threads(TILE, TILE);
  dim3 blocks((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  matmul_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                     C.data_ptr<float>(), M, N, K);
  return C;
}
"""
cpp_source = """
torch::Tensor matmul(torch::Tensor A, torch::Tensor B);
"""
extension = load_inline(name="matmul_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["matmul"])


def check(device):

    a, b = (torch.randn(70, 50, device=device),
            torch.randn(50, 90, device=device))
    torch.testing.assert_close(extension.matmul(a, b), a @ b, rtol=1e-3,
                               atol=1e-3)
