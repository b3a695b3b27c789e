import torch
from torch.utils.cpp_extension import load_inline

# Packed accessors, as the tutorial has them.
cuda_source = """
__global__ void transpose_kernel(
    const torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> x,
    torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y;
  if (i < x.size(0)) y[j][i] = x[i][j];
}
torch::Tensor transposed(torch::Tensor x) {
  auto y = torch::empty({x.size(1), x.size(0)}, x.options());
  const dim3 grid((x.size(0) + 63) / 64, x.size(1));
  transpose_kernel<<<grid, 64>>>(
      x.packed_accessor32<float, 2, torch::RestrictPtrTraits>(),
      y.packed_accessor32<float, 2, torch::RestrictPtrTraits>());
  return y;
}
"""
cpp_source = """
torch::Tensor transposed(torch::Tensor x);
"""
extension = load_inline(name="accessors_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["transposed"])


def check(device):

    x = torch.randn(100, 30, device=device)
    torch.testing.assert_close(extension.transposed(x.t()), x)
