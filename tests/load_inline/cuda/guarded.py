import torch
from torch.utils.cpp_extension import load_inline

# A guard of the device, and several streams.
cuda_source = """
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
__global__ void fill_kernel(float* x, float value, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    x[i] = value;
  }
}
void fill(torch::Tensor x, double value) {
  const at::cuda::OptionalCUDAGuard guard(x.device());
  const auto stream = c10::cuda::getCurrentCUDAStream(x.device().index());
  const int blocks = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  fill_kernel<<<blocks, 256, 0, stream.stream()>>>(
      x.data_ptr<float>(), static_cast<float>(value), x.numel());
  AT_CUDA_CHECK(cudaGetLastError());
}
"""
cpp_source = """
void fill(torch::Tensor x, double value);
"""
extension = load_inline(name="guarded_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["fill"])


def check(device):

    x = torch.zeros(1000, device=device)
    assert extension.fill(x, 3.5) is None
    assert (x == 3.5).all()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        extension.fill(x, 4.5)
    side.synchronize()
    assert (x == 4.5).all()
