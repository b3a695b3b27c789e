import torch
from torch.utils.cpp_extension import load_inline

# A histogram, integers in and out.
cuda_source = """
__global__ void histogram_kernel(const int64_t* x, int* counts, int64_t n,
                                 int bins) {
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] >= 0 && x[i] < bins) atomicAdd(&local[x[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    atomicAdd(&counts[b], local[b]);
  }
}
torch::Tensor histogram(torch::Tensor x, int64_t bins) {
  TORCH_CHECK(x.scalar_type() == torch::kInt64, "indices must be int64");
  auto counts = torch::zeros({bins}, x.options().dtype(torch::kInt32));
  histogram_kernel<<<(x.numel() + 255) / 256, 256, bins * sizeof(int)>>>(
      x.data_ptr<int64_t>(), counts.data_ptr<int>(), x.numel(), (int)bins);
  return counts;
}
"""
cpp_source = """
torch::Tensor histogram(torch::Tensor x, int64_t bins);
"""
extension = load_inline(name="atomics_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["histogram"])


def check(device):

    x = torch.randint(0, 10, (5000,), device=device)
    assert torch.equal(extension.histogram(x, 10).long(),
                       torch.bincount(x, minlength=10))
