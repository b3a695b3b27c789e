#include "agents/catalogue/cuda/accesses.h"

namespace coppice::agents::catalogue::cuda {

std::vector<Expr> AccessesIn(const Expr& expr) {
  std::vector<Expr> accesses;
  Visit(expr, [&](const Expr& e) {
    if (e.kind == ExprKind::kIndex) accesses.push_back(e);
  });
  return accesses;
}

bool HasUnitStride(const Expr& access, std::string_view variable,
                   const Definitions& definitions) {
  if (access.kind != ExprKind::kIndex) return false;
  const auto affine = SplitBy(ToPoly(access.args[1], definitions), variable);
  return affine && affine->slope.Constant() == 1;
}

std::int64_t BytesOf(const std::string& element) {
  if (element == "double" || element == "int64_t") return 8;
  return element == "__half" || element == "__nv_bfloat16" ? 2 : 4;
}

const std::string_view kPack =
    "// Neighbouring elements, loaded and stored together.\n"
    "template <class T, int kCount>\n"
    "struct alignas(sizeof(T) * kCount) Pack {\n"
    "  T v[kCount];\n"
    "};\n";

}  // namespace coppice::agents::catalogue::cuda
