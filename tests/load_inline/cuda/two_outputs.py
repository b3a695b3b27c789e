import torch
from torch.utils.cpp_extension import load_inline

# Two outputs in a vector.
cuda_source = """
__global__ void moments_kernel(const float* x, float* mean, float* var, int n) {
  const float* row = x + blockIdx.x * n;
  float m = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    const float d = row[i] - m;
    m += d / (i + 1);
    s += d * (row[i] - m);
  }
  mean[blockIdx.x] = m;
  var[blockIdx.x] = s / n;
}
std::vector<torch::Tensor> moments(const torch::Tensor& x) {
  auto options = torch::TensorOptions().device(torch::kCUDA).dtype(torch::kFloat);
  torch::Tensor mean = torch::empty({x.size(0)}, options);
  torch::Tensor var = torch::full({x.size(0)}, -1.0, options);
  moments_kernel<<<x.size(0), 1>>>(x.data_ptr<float>(), mean.data_ptr<float>(),
                                   var.data_ptr<float>(), x.size(1));
  return {mean, var};
}
"""
cpp_source = """
std::vector<torch::Tensor> moments(const torch::Tensor& x);
"""
extension = load_inline(name="two_outputs_ext", cpp_sources=[cpp_source],
                        cuda_sources=[cuda_source], functions=["moments"])


def check(device):

    x = torch.randn(9, 77, device=device)
    mean, var = extension.moments(x)
    torch.testing.assert_close(mean, x.mean(1))
    torch.testing.assert_close(var, x.var(1, unbiased=False))
