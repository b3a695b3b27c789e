import torch
from torch.utils.cpp_extension import load_inline

# Types of 16 bits on the host, and threads.
source = """
template <typename T>
void add_one(const T* in, T* out, int64_t n) {
  at::parallel_for(0, n, 16, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      out[i] = static_cast<T>(static_cast<float>(in[i]) + 1.0f);
    }
  });
}

torch::Tensor add_one(torch::Tensor x) {
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(),
      "add_one", [&] {
        add_one<scalar_t>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
                          x.numel());
      });
  return y;
}

torch::Tensor increased(torch::Tensor x) { return add_one(x); }
"""
extension = load_inline(name="halves_ext", cpp_sources=source,
                        functions="increased")


def check(device):
    # Every value of 16 bits, the not-a-numbers too.
    bits = torch.arange(65536, dtype=torch.int32).to(torch.uint16)
    for dtype in (torch.float16, torch.bfloat16):
        x = bits.view(dtype)
        torch.testing.assert_close(extension.increased(x), (x.float() + 1)
                                   .to(dtype), rtol=0, atol=0, equal_nan=True)
    x = torch.randn(100, dtype=torch.float64)
    torch.testing.assert_close(extension.increased(x), x + 1)


MISTAKES = [lambda: extension.increased(torch.ones(2, dtype=torch.int64))]
