import torch
from torch.utils.cpp_extension import load_inline

# Optional weight and bias, a scalar with a default.
cuda_source = """
#include <torch/types.h>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void layer_norm_kernel(const scalar_t* x, const scalar_t* weight,
                                  const scalar_t* bias, scalar_t* y,
                                  int columns, float eps) {
  extern __shared__ float shared[];
  const scalar_t* row = x + blockIdx.x * columns;
  float sum = 0.f, squares = 0.f;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    const float v = static_cast<float>(row[j]);
    sum += v;
    squares += v * v;
  }
  shared[threadIdx.x] = sum;
  shared[blockDim.x + threadIdx.x] = squares;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) {
      shared[threadIdx.x] += shared[threadIdx.x + step];
      shared[blockDim.x + threadIdx.x] += shared[blockDim.x + threadIdx.x + step];
    }
    __syncthreads();
  }
  const float mean = shared[0] / columns;
  const float scale = rsqrtf(shared[blockDim.x] / columns - mean * mean + eps);
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    float v = (static_cast<float>(row[j]) - mean) * scale;
    if (weight) v *= static_cast<float>(weight[j]);
    if (bias) v += static_cast<float>(bias[j]);
    y[blockIdx.x * columns + j] = static_cast<scalar_t>(v);
  }
}

torch::Tensor layer_norm(torch::Tensor x, c10::optional<torch::Tensor> weight,
                         c10::optional<torch::Tensor> bias, double eps) {
  const auto columns = x.size(-1);
  const auto rows = x.numel() / columns;
  auto y = torch::empty_like(x);
  const int threads = 256;
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "layer_norm", ([&] {
    layer_norm_kernel<scalar_t><<<rows, threads, 2 * threads * sizeof(float)>>>(
        x.data_ptr<scalar_t>(),
        weight.has_value() ? weight->data_ptr<scalar_t>() : nullptr,
        bias ? bias.value().data_ptr<scalar_t>() : nullptr,
        y.data_ptr<scalar_t>(), columns, static_cast<float>(eps));
  }));
  return y;
}
"""
cpp_source = """
torch::Tensor layer_norm(torch::Tensor x, c10::optional<torch::Tensor> weight,
                         c10::optional<torch::Tensor> bias, double eps);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("layer_norm", &layer_norm, py::arg("x"), py::arg("weight") = py::none(),
        py::arg("bias") = py::none(), py::arg("eps") = 1e-5);
}
"""
extension = load_inline(name="layer_norm_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=None)


def check(device):

    for dtype in (torch.float32, torch.float64, torch.float16):
        x = torch.randn(12, 300, device=device, dtype=dtype)
        w, b = torch.randn(2, 300, device=device, dtype=dtype)
        norm = torch.nn.functional.layer_norm
        torch.testing.assert_close(extension.layer_norm(x), norm(x, (300,)),
                                   rtol=2e-3, atol=2e-3)
        torch.testing.assert_close(extension.layer_norm(x, w, bias=b),
                                   norm(x, (300,), w, b), rtol=3e-3, atol=3e-3)
