import torch
from torch.utils.cpp_extension import load_inline

# PYBIND11_MODULE, defaults, keywords, lambdas, and C++ exceptions.
source = """
#include <torch/extension.h>
#include <stdexcept>
#include <vector>

torch::Tensor affine(torch::Tensor x, double scale, int64_t shift, bool negate,
                     c10::optional<torch::Tensor> bias) {
  auto y = x * scale + shift;
  if (negate) y = -y;
  if (bias.has_value()) y = y + *bias;
  return y;
}

std::vector<torch::Tensor> halves(torch::Tensor x) {
  const int64_t n = x.size(0) / 2;
  return {x.slice(0, 0, n), x.slice(0, n)};
}

void fail(const std::string& how) {
  if (how == "value") throw std::invalid_argument("bad value");
  if (how == "range") throw std::out_of_range("too far");
  if (how == "runtime") throw std::runtime_error("broken");
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "by hand";
  m.def("affine", &affine, "x * scale + shift", py::arg("x"),
        py::arg("scale") = 2.0, py::arg("shift") = 1,
        py::arg("negate") = false, py::arg("bias") = c10::nullopt);
  m.def("halves", &halves);
  m.def("fail", &fail);
  m.def("total", [](std::vector<torch::Tensor> parts) {
    auto sum = torch::zeros({1});
    for (const auto& part : parts) sum += part.sum();
    return sum.item<float>();
  });
}
"""
extension = load_inline(name="by_hand", cpp_sources=source)


def check(device):
    x = torch.randn(6)
    torch.testing.assert_close(extension.affine(x), x * 2 + 1)
    torch.testing.assert_close(extension.affine(x, 3, negate=True),
                               -(x * 3 + 1))
    torch.testing.assert_close(extension.affine(bias=x, x=x, shift=0), x * 3)
    a, b = extension.halves(x)
    torch.testing.assert_close(torch.cat([a, b]), x)
    assert isinstance(extension.halves(x), list)
    assert extension.fail("not at all") is None
    assert abs(extension.total([x, x]) - 2 * x.sum().item()) < 1e-5
    assert extension.__doc__ == "by hand"


MISTAKES = [
    lambda: extension.fail("value"),
    lambda: extension.fail("range"),
    lambda: extension.fail("runtime"),
    lambda: extension.affine(torch.ones(1), "two"),
    lambda: extension.affine(torch.ones(1), shift=1.5),
    lambda: extension.affine(torch.ones(1), 1.0, x=torch.ones(1)),
    lambda: extension.affine(torch.ones(2), bias=torch.ones(3)),
    lambda: extension.total(7),
]
