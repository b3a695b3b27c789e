import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
constexpr int kRows = 8;  // Of the output, for a thread.

__global__ void convolve(const float* x, const float* weight, float* y,
                         int channels, int height, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * kRows;
  const int plane = blockIdx.z;
  const int rows = height - 2;
  const int columns = width - 2;
  if (column >= columns) return;
  float w[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) w[i] = weight[plane % channels * 9 + i];
  const float* from = x + (size_t)plane * height * width + column;
  float* to = y + (size_t)plane * rows * columns + column;
  float line[3][3];  // The last three rows of the input, row % 3.
#pragma unroll
  for (int i = 0; i < kRows + 2; ++i) {
    if (row + i >= height) return;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      line[i % 3][j] = from[(size_t)(row + i) * width + j];
    }
    if (i < 2) continue;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
#pragma unroll
      for (int j = 0; j < 3; ++j) sum += w[k * 3 + j] * line[(i + 1 + k) % 3][j];
    }
    to[(size_t)(row + i - 2) * columns] = sum;
  }
}

torch::Tensor depthwise(torch::Tensor x, torch::Tensor weight) {
  const int images = x.size(0), channels = x.size(1);
  const int height = x.size(2), width = x.size(3);
  auto y = torch::empty({images, channels, height - 2, width - 2}, x.options());
  const dim3 grid((width - 2 + 127) / 128, (height - 2 + kRows - 1) / kRows,
                  images * channels);
  convolve<<<grid, 128>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                          y.data_ptr<float>(), channels, height, width);
  return y;
}
"""

module = load_inline(
    name="depthwise_inline",
    cpp_sources="torch::Tensor depthwise(torch::Tensor x, torch::Tensor weight);",
    cuda_sources=CUDA,
    functions=["depthwise"],
)


class ModelNew(nn.Module):
    """Three by three, a step of one, no padding and no bias."""

    def __init__(self, in_channels, kernel_size, stride=1, padding=0, bias=False):
        super().__init__()
        if (kernel_size, stride, padding, bias) != (3, 1, 0, False):
            raise ValueError("another convolution")
        self.conv2d = nn.Conv2d(
            in_channels, in_channels, kernel_size, groups=in_channels, bias=False
        )

    def forward(self, x):
        return module.depthwise(x, self.conv2d.weight)
