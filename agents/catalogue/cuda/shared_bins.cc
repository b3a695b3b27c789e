// bins(kernel, blocks): counts in shared memory first, and adds each block's
// counts to the result once.
//
// For a kernel of one atomicAdd(&counts[... & MASK], value) per element.
#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/cuda/geometry.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr std::int64_t kMostBins = 8192;

}  // namespace

DeviceOutcome SharedBins(const DeviceSite& site, const Technique& technique) {
  const auto blocks = technique.IntArg(1);
  const auto guarded = ReadFlat(site.kernel);
  if (!blocks || *blocks < 1) return NoReason("how many blocks?");
  if (!guarded || !ExtentOf(site.launch, 'x')) return NoReason(kNotFlat);
  const Stmt* only = guarded->body.size() == 1 ? &guarded->body[0] : nullptr;
  if (only == nullptr || only->kind != StmtKind::kExpr ||
      CalledFunction(only->expr) != "atomicAdd" ||
      only->expr.args.size() != 3 || only->expr.args[1].text != "&" ||
      only->expr.args[1].args[0].kind != ExprKind::kIndex) {
    return NoReason("it is not one atomicAdd on an array");
  }
  const Expr& access = only->expr.args[1].args[0];
  const Expr& bin = access.args[1];
  const auto mask = bin.kind == ExprKind::kBinary && bin.text == "&"
                        ? IntegerValue(bin.args[1])
                        : std::nullopt;
  const Param* counts = site.kernel.FindParam(ArrayName(access));
  if (!mask || *mask < 1 || *mask >= kMostBins || counts == nullptr) {
    return NoReason("how many bins there are is not known");
  }
  const std::string bins = site.Fresh("bins");
  const std::string size = std::to_string(*mask + 1);
  const std::string each =
      "  for (int b = threadIdx.x; b < " + size + "; b += blockDim.x) {\n";
  const ThreadVariable& i = guarded->variables[0];
  DeviceEdit edit;
  edit.body = Print(guarded->prologue, 2) + "  __shared__ " +
              counts->Element() + " " + bins + "[" + size + "];\n" + each +
              "    " + bins + "[b] = 0;\n  }\n  __syncthreads();\n" +
              "  for (int " + i.name + " = " + Print(ThreadIndex('x')) + "; " +
              i.name + " < " + Print(i.bound) + "; " + i.name +
              " += gridDim.x * blockDim.x) {\n    atomicAdd(&" + bins + "[" +
              Print(bin) + "], " + Print(only->expr.args[2]) +
              ");\n  }\n  __syncthreads();\n" + each + "    if (" + bins +
              "[b] != 0) {\n      atomicAdd(&" + counts->name + "[b], " + bins +
              "[b]);\n    }\n  }\n";
  edit.launch = site.launch;
  edit.launch->grid[0] = Call("min", {site.launch.grid[0], Number(*blocks)});
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
