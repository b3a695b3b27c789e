#include "agents/catalogue/cuda/pack_elements.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "agents/catalogue/cuda/accesses.h"
#include "agents/catalogue/cuda/geometry.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

struct Use {
  bool read = false;
  bool written = false;
};

void Note(const Expr& e, bool written, std::map<std::string, Use>& uses) {
  if (e.kind == ExprKind::kIndex) {
    (written ? uses[ArrayName(e)].written : uses[ArrayName(e)].read) = true;
    return;
  }
  const bool assigns = IsAssignment(e);
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    if (assigns && i == 0) {
      Note(e.args[0], true, uses);
      if (e.text != "=") Note(e.args[0], false, uses);
    } else {
      Note(e.args[i], false, uses);
    }
  }
}

// How each array is used, if all are used at [i] alone.
std::optional<std::map<std::string, Use>> UsesOf(const DeviceKernel& kernel,
                                                 const Guarded& guarded) {
  const std::string& i = guarded.variables[0].name;
  std::map<std::string, Use> uses;
  bool plain = !ContainsLoop(guarded.body);
  VisitExprs(guarded.body, [&](const Expr& whole) {
    Note(whole, false, uses);
    Visit(whole, [&](const Expr& e) {
      if (e.kind == ExprKind::kIndex) {
        plain &= e.args[0].kind == ExprKind::kName && IsName(e.args[1], i);
      }
      // A pointer that is not subscripted, as in atomicAdd(&c[i], 1).
      plain &= e.kind != ExprKind::kUnary || e.text != "&";
    });
  });
  for (const auto& [array, use] : uses) {
    const Param* param = kernel.FindParam(array);
    plain &= param != nullptr && param->IsPointer();
  }
  if (!plain || uses.empty()) return std::nullopt;
  return uses;
}

}  // namespace

DeviceOutcome PackElements(const DeviceSite& site, const Technique& technique) {
  const auto count = technique.IntArg(1);
  const auto guarded = ReadGuarded(site.kernel);
  if (!guarded || guarded->variables.size() != 1 || !guarded->Find('x')) {
    return NoReason("its threads are not guarded along one dimension");
  }
  const auto extent = ExtentOf(site.launch, 'x');
  const auto threads = ThreadsOf(site.launch, 'x');
  if (!extent) return NoReason("its grid does not follow from its block");
  const auto uses = UsesOf(site.kernel, *guarded);
  if (!uses) return NoReason("an array is used at another index too");
  if (!count || *count < 2 || (*count & (*count - 1)) != 0) {
    return NoReason("a group is of 2, 4 or 8");
  }
  const std::string n = std::to_string(*count);
  const ThreadVariable& i = guarded->variables[0];
  const std::string first = site.Fresh("first");
  const std::string e = site.Fresh("e");
  std::string loads;
  std::string stores;
  StmtList packed = guarded->body;
  for (const auto& each : *uses) {
    const std::string& array = each.first;
    const auto& use = each.second;
    const std::string element = site.kernel.FindParam(array)->Element();
    if (BytesOf(element) * *count > 16) return NoReason("more than 16 bytes");
    const std::string type = "Pack<" + element + ", " + n + ">";
    const std::string name = site.Fresh(array + "_pack");
    loads += "    " + type + " " + name;
    if (use.read) {
      loads += " = *reinterpret_cast<const " + type + "*>(" + array + " + " +
               first + ")";
    }
    loads += ";\n";
    if (use.written) {
      stores += "    *reinterpret_cast<" + type + "*>(" + array + " + " +
                first + ") = " + name + ";\n";
    }
    VisitExprs(packed, [&](Expr& whole) {
      Rewrite(whole, [&](Expr& part) {
        if (part.kind != ExprKind::kIndex || ArrayName(part) != array) {
          return false;
        }
        part = Index(Name(name + ".v"), Name(e));
        return true;
      });
    });
  }
  const std::string index = Print(ThreadIndex('x'));
  Substitute(packed, i.name, Add(Name(first), Name(e)));
  DeviceEdit edit;
  edit.body = Print(guarded->prologue, 2) + "  int " + first + " = (" + index +
              ") * " + n + ";\n" +  //
              "  if (" + first + " + " + std::to_string(*count - 1) + " < " +
              Print(i.bound) + ") {\n" + loads + "#pragma unroll\n" +
              "    for (int " + e + " = 0; " + e + " < " + n + "; ++" + e +
              ") {\n" + Print(packed, 6) + "    }\n" + stores + "  } else {\n" +
              "    for (int " + i.name + " = " + first + "; " + i.name + " < " +
              Print(i.bound) + "; ++" + i.name + ") {\n" +
              Print(guarded->body, 6) + "    }\n  }\n";
  edit.helpers = {std::string(kPack)};
  edit.launch = site.launch;
  edit.launch->grid[0] = CeilDiv(*extent, Number(*threads * *count));
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
