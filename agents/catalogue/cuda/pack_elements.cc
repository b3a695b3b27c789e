// vector(kernel, n): each thread takes n neighbouring elements, loaded and
// stored together, 16 bytes at a time if n fills them.
//
// For kernels whose arrays are read and written at the thread's own index and
// nowhere else.  Elements after the last whole group are done one by one.
#include <map>

#include "agents/catalogue/cuda/accesses.h"
#include "agents/catalogue/cuda/device_catalogue.h"
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
  // A store that a condition may leave out stores what was there before.
  VisitStmts(guarded.body, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::kIf) return;
    for (const StmtList* part : {&stmt.body, &stmt.orelse}) {
      VisitParts(*part, [&](const Expr& e) {
        if (e.kind == ExprKind::kIndex) uses[ArrayName(e)].read = true;
      });
    }
  });
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

struct Packs {
  std::string loads;
  std::string stores;
  StmtList body;  // With each access at element `e` of its pack.
};

// Empty if an array's elements are too large for that.
std::optional<Packs> PacksOf(const DeviceSite& site, const StmtList& body,
                             const std::map<std::string, Use>& uses,
                             std::int64_t count, const std::string& first,
                             const std::string& e) {
  const std::string n = std::to_string(count);
  Packs packs;
  packs.body = body;
  for (const auto& each : uses) {
    const std::string& array = each.first;
    const auto& use = each.second;
    const std::string element = site.kernel.FindParam(array)->Element();
    if (BytesOf(element) * count > 16) return std::nullopt;
    const std::string type = "Pack<" + element + ", " + n + ">";
    const std::string name = site.Fresh(array + "_pack");
    packs.loads += "    " + type + " " + name;
    if (use.read) {
      packs.loads += " = *reinterpret_cast<const " + type + "*>(" + array +
                     " + " + first + ")";
    }
    packs.loads += ";\n";
    if (use.written) {
      packs.stores += "    *reinterpret_cast<" + type + "*>(" + array + " + " +
                      first + ") = " + name + ";\n";
    }
    RewriteParts(packs.body, [&](Expr& part) {
      if (part.kind != ExprKind::kIndex || ArrayName(part) != array) {
        return false;
      }
      part = Index(Name(name + ".v"), Name(e));
      return true;
    });
  }
  return packs;
}

}  // namespace

DeviceOutcome PackElements(const DeviceSite& site, const Technique& technique) {
  const auto count = technique.IntArg(1);
  const auto guarded = ReadFlat(site.kernel);
  if (!guarded) return NoReason(kNotFlat);
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
  auto packs = PacksOf(site, guarded->body, *uses, *count, first, e);
  if (!packs) return NoReason("more than 16 bytes");
  const std::string index = Print(ThreadIndex('x'));
  Substitute(packs->body, i.name, Add(Name(first), Name(e)));
  DeviceEdit edit;
  edit.body = Print(guarded->prologue, 2) + "  int " + first + " = (" + index +
              ") * " + n + ";\n" +  //
              "  if (" + first + " + " + std::to_string(*count - 1) + " < " +
              Print(i.bound) + ") {\n" + packs->loads + "#pragma unroll\n" +
              "    for (int " + e + " = 0; " + e + " < " + n + "; ++" + e +
              ") {\n" + Print(packs->body, 6) + "    }\n" + packs->stores +
              "  } else {\n" + "    for (int " + i.name + " = " + first + "; " +
              i.name + " < " + Print(i.bound) + "; ++" + i.name + ") {\n" +
              Print(guarded->body, 6) + "    }\n  }\n";
  edit.helpers = {std::string(kPack)};
  edit.launch = site.launch;
  edit.launch->grid[0] = CeilDiv(*extent, Number(*threads * *count));
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
