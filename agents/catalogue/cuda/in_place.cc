// Techniques that keep a kernel's threads and loops as they are.
//
// restrict(kernel)            promises that its pointers do not overlap, which
//     lets loads of constant data go through the read-only cache, early.
// unroll(kernel, variable, n)  a pragma for n iterations of the loop at once.
// math(kernel)                functions by the hardware's approximations.
#include <set>
#include <utility>

#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr std::string_view kQuickTanh =
    "// tanh from the hardware's exp.\n"
    "__device__ float QuickTanh(float x) {\n"
    "  return 1.0f - 2.0f / (__expf(2.0f * x) + 1.0f);\n"
    "}\n";

// The hardware's function for a call; null if there is none.
const char* QuickName(const Expr& call) {
  if (call.kind != ExprKind::kCall) return nullptr;
  if (IsName(call.args[0], "expf")) return "__expf";
  if (IsName(call.args[0], "logf")) return "__logf";
  if (IsName(call.args[0], "tanhf")) return "QuickTanh";
  return nullptr;
}

bool IsInverseRoot(const Expr& e) {
  return e.kind == ExprKind::kBinary && e.text == "/" &&
         e.args[0] == Literal("1.0f") && CalledFunction(e.args[1]) == "sqrt";
}

}  // namespace

DeviceOutcome RestrictPointers(const DeviceSite& site, const Technique&) {
  std::set<std::string> buffers;
  std::size_t pointers = 0;
  std::vector<Param> params = site.kernel.params;
  if (params.size() != site.launch.arguments.size()) {
    return NoReason("the launch has other arguments than the kernel");
  }
  bool changed = false;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!params[i].IsPointer()) continue;
    ++pointers;
    buffers.insert(Print(site.launch.arguments[i]));
    if (params[i].type.find("__restrict__") != std::string::npos) continue;
    params[i].type += " __restrict__";
    changed = true;
  }
  if (!changed) return NoReason("its pointers are restricted already");
  if (buffers.size() != pointers) return NoReason("two arguments are one");
  DeviceEdit edit;
  edit.params = std::move(params);
  return edit;
}

DeviceOutcome UnrollLoop(const DeviceSite& site, const Technique& technique) {
  const auto count = technique.IntArg(2);
  if (!count || *count < 2) return NoReason("how many iterations?");
  StmtList body = site.kernel.body;
  Stmt* loop = FindLoop(body, technique.Arg(1));
  if (loop == nullptr) return NoReason("there is no such loop here");
  if (!loop->pragmas.empty()) return NoReason("it has a pragma already");
  loop->pragmas.push_back("#pragma unroll " + std::to_string(*count));
  DeviceEdit edit;
  edit.body = Print(body, 2);
  return edit;
}

DeviceOutcome QuickMath(const DeviceSite& site, const Technique&) {
  StmtList body = site.kernel.body;
  DeviceEdit edit;
  bool changed = false;
  RewriteParts(body, [&](Expr& e) {
    if (IsInverseRoot(e)) {
      e = Call("rsqrtf", {e.args[1].args[1]});
      return changed = true;
    }
    if (const char* quick = QuickName(e)) {
      e.args[0] = Name(quick);
      changed = true;
      if (e.args[0].text == "QuickTanh") {
        edit.helpers = {std::string(kQuickTanh)};
      }
    }
    return false;
  });
  if (!changed) return NoReason("it calls nothing that the hardware has");
  edit.body = Print(body, 2);
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
