import torch
from torch.utils.cpp_extension import load_inline

# Vector loads, a checked input, a launch check, a stream.
cuda_source = """
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)

__global__ void silu4(const float4* __restrict__ x, float4* __restrict__ y,
                      int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  v.x = v.x / (1.0f + __expf(-v.x));
  v.y = v.y / (1.0f + __expf(-v.y));
  v.z = v.z / (1.0f + __expf(-v.z));
  v.w = v.w / (1.0f + __expf(-v.w));
  y[i] = v;
}

at::Tensor silu(at::Tensor x) {
  CHECK_INPUT(x);
  TORCH_CHECK(x.scalar_type() == at::kFloat, "float32 only, not ", x.dtype());
  TORCH_CHECK(x.numel() % 4 == 0);
  auto y = at::empty(x.sizes(), x.options());
  const int64_t n = x.numel() / 4;
  const dim3 block(256);
  const dim3 grid((n + block.x - 1) / block.x);
  auto stream = at::cuda::getCurrentCUDAStream();
  silu4<<<grid, block, 0, stream>>>(
      reinterpret_cast<const float4*>(x.data_ptr<float>()),
      reinterpret_cast<float4*>(y.data_ptr<float>()), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
cpp_source = """
at::Tensor silu(at::Tensor x);
"""
extension = load_inline(name="vectorised_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["silu"],
                        extra_cuda_cflags=["-O3", "--use_fast_math"])


def check(device):

    x = torch.randn(64, 128, device=device)
    torch.testing.assert_close(extension.silu(x),
                               torch.nn.functional.silu(x))
    try:
        extension.silu(x.cpu())
    except RuntimeError as error:
        assert str(error).startswith("x must be a CUDA tensor"), error
    else:
        assert False
