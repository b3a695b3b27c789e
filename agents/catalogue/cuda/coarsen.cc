// coarsen(kernel, variable, n): each thread takes n values of the variable at
// once, its loops shared, so that what does not depend on the variable is
// loaded once for all n.
//
// The variable is one of the threads' (values a block's width apart, so that
// neighbouring threads still take neighbouring elements), or one that the
// grid's z holds as `blockIdx.z % C` beside `blockIdx.z / C`.
#include <set>
#include <utility>

#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/cuda/geometry.h"
#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

bool Assigns(const StmtList& list, const std::string& name) {
  bool found = false;
  VisitExprs(list, [&](const Expr& e) {
    found |= IsAssignment(e) && ArrayName(e.args[0]) == name;
  });
  return found;
}

// The names that the list declares and whose values depend on the variable.
std::set<std::string> Dependent(const StmtList& list,
                                const std::string& variable) {
  const std::set<std::string> declared = DeclaredNames(list);
  std::set<std::string> names = {variable};
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    VisitStmts(list, [&](const Stmt& stmt) {
      if (stmt.kind == StmtKind::kDecl && stmt.init &&
          MentionsAny(*stmt.init, names)) {
        names.insert(stmt.name);
      }
      // What is assigned under a condition depends on the condition, and in a
      // loop on how often that runs.
      const bool turns =
          (stmt.kind == StmtKind::kIf && MentionsAny(stmt.expr, names)) ||
          (stmt.kind == StmtKind::kFor &&
           (MentionsAny(*stmt.init, names) || MentionsAny(stmt.bound, names) ||
            MentionsAny(stmt.step, names)));
      if (turns) {
        for (const std::string& name : declared) {
          if (Assigns(stmt.body, name) || Assigns(stmt.orelse, name)) {
            names.insert(name);
          }
        }
      }
      if (stmt.kind == StmtKind::kExpr && IsAssignment(stmt.expr) &&
          declared.contains(ArrayName(stmt.expr.args[0])) &&
          MentionsAny(stmt.expr, names)) {
        names.insert(ArrayName(stmt.expr.args[0]));
      }
    });
  }
  return names;
}

class Jammer {
 public:
  Jammer(std::set<std::string> dependent, std::int64_t count)
      : dependent_(std::move(dependent)), count_(count) {}

  StmtList Jam(const StmtList& list) const {
    StmtList result;
    for (const Stmt& stmt : list) One(stmt, result);
    return result;
  }

 private:
  void One(const Stmt& stmt, StmtList& result) const {
    const bool whole = stmt.kind == StmtKind::kFor
                           ? !Depends(*stmt.init) && !Depends(stmt.bound) &&
                                 !Depends(stmt.step)
                           : stmt.kind == StmtKind::kIf && !Depends(stmt.expr);
    if (whole) {
      Stmt shared = stmt;
      shared.body = Jam(stmt.body);
      shared.orelse = Jam(stmt.orelse);
      result.push_back(std::move(shared));
      return;
    }
    const bool depends = MentionsAny(StmtList{stmt}, dependent_) ||
                         dependent_.contains(stmt.name);
    for (std::int64_t copy = 0; copy < (depends ? count_ : 1); ++copy) {
      StmtList one = {stmt};
      if (depends) {
        for (const std::string& name : dependent_) {
          Rename(one, name, name + "_" + std::to_string(copy));
        }
      }
      result.push_back(std::move(one[0]));
    }
  }

  bool Depends(const Expr& expr) const { return MentionsAny(expr, dependent_); }

  std::set<std::string> dependent_;
  std::int64_t count_;
};

// True if `v < e` is all that a condition says of the variable, so that what
// holds for its last value holds for those before.
bool OnlyBelow(const Expr& condition, const std::string& variable) {
  if (condition.kind != ExprKind::kBinary) return false;
  if (condition.text == "&&") {
    return OnlyBelow(condition.args[0], variable) &&
           OnlyBelow(condition.args[1], variable);
  }
  if (!Mentions(condition, variable)) return true;
  return (condition.text == "<" || condition.text == "<=") &&
         IsName(condition.args[0], variable) &&
         !Mentions(condition.args[1], variable);
}

std::string Copies(const std::string& variable, const std::string& step,
                   std::int64_t count, const std::string& margin) {
  std::string text;
  for (std::int64_t copy = 0; copy < count; ++copy) {
    text += margin + "int " + variable + "_" + std::to_string(copy) + " = " +
            variable + (copy == 0 ? "" : " + " + std::to_string(copy) + step) +
            ";\n";
  }
  return text;
}

std::int64_t ConstantOf(const StmtList& list, const Expr& name) {
  for (const Stmt& stmt : list) {
    if (IsName(name, stmt.name) && stmt.type.starts_with("constexpr")) {
      return IntegerValue(*stmt.init).value_or(0);
    }
  }
  return 0;
}

// The variable is `blockIdx.z % C`, C constant and a multiple of n.
DeviceOutcome CoarsenGrid(const DeviceSite& site, const Guarded& guarded,
                          const std::string& variable, std::int64_t count) {
  const Expr z = ParseExpr("blockIdx.z");
  StmtList prologue = guarded.prologue;
  Expr divisor;
  bool found = false;
  for (Stmt& stmt : prologue) {
    if (stmt.name != variable || stmt.init->text != "%" ||
        stmt.init->args.size() != 2 || stmt.init->args[0] != z) {
      continue;
    }
    divisor = stmt.init->args[1];
    found = true;
  }
  const std::int64_t size = found ? ConstantOf(prologue, divisor) : 0;
  if (size == 0 || size % count != 0) {
    return NoReason("the grid does not hold it in multiples of that");
  }
  if (site.launch.grid.size() != 3) return NoReason("its grid has no z");
  const Expr groups = Binary("/", divisor, Number(count));
  for (Stmt& stmt : prologue) {
    if (stmt.name == variable) {
      stmt.init = Mul(Binary("%", z, groups), Number(count));
    } else if (*stmt.init == Binary("/", z, divisor)) {
      stmt.init = Binary("/", z, groups);
    } else if (Mentions(*stmt.init, "blockIdx") ||
               Mentions(*stmt.init, variable)) {
      return NoReason("the grid's z is used otherwise too");
    }
  }
  const Jammer jammer(Dependent(guarded.body, variable), count);
  std::string body = Print(prologue, 2);
  for (const ThreadVariable& v : guarded.variables) {
    body += "  int " + v.name + " = " + Print(ThreadIndex(v.dimension)) + ";\n";
  }
  body += "  if (" + Print(guarded.guard) + ") {\n" +
          Copies(variable, "", count, "    ") +
          Print(jammer.Jam(guarded.body), 4) + "  }\n";
  DeviceEdit edit;
  edit.body = std::move(body);
  edit.launch = site.launch;
  edit.launch->grid[2] = Binary("/", edit.launch->grid[2], Number(count));
  return edit;
}

}  // namespace

DeviceOutcome Coarsen(const DeviceSite& site, const Technique& technique) {
  const std::string variable = technique.Arg(1);
  const auto count = technique.IntArg(2);
  const auto guarded = ReadGuarded(site.kernel);
  if (!count || *count < 2 || *count > 16) return NoReason("how many?");
  if (!guarded) return NoReason("its threads are not guarded");
  const ThreadVariable* chosen = nullptr;
  for (const ThreadVariable& v : guarded->variables) {
    if (v.name == variable) chosen = &v;
  }
  if (chosen == nullptr) {
    return CoarsenGrid(site, *guarded, variable, *count);
  }
  const auto extent = ExtentOf(site.launch, chosen->dimension);
  const auto threads = ThreadsOf(site.launch, chosen->dimension);
  if (!extent) return NoReason("its grid does not follow from its block");
  if (!OnlyBelow(guarded->guard, variable)) {
    return NoReason("its guard asks more than that it is small");
  }
  const std::string d(1, chosen->dimension);
  const std::string n = std::to_string(*count);
  std::string body = Print(guarded->prologue, 2);
  for (const ThreadVariable& v : guarded->variables) {
    const std::string index =
        v.name == variable ? "blockIdx." + d + " * (" + n + " * blockDim." + d +
                                 ") + threadIdx." + d
                           : Print(ThreadIndex(v.dimension));
    body += "  int " + v.name + " = " + index + ";\n";
  }
  const std::string step = " * blockDim." + d;
  const Expr last =
      ParseExpr(variable + " + " + std::to_string(*count - 1) + step);
  const Jammer jammer(Dependent(guarded->body, variable), *count);
  body += "  if (" + Print(Substituted(guarded->guard, variable, last)) +
          ") {\n" + Copies(variable, step, *count, "    ") +
          Print(jammer.Jam(guarded->body), 4) + "  } else {\n" +
          "    for (int last = " + variable + " + " + n + step + "; " +
          variable + " < last; " + variable + " += blockDim." + d + ") {\n" +
          "      if (" + Print(guarded->guard) + ") {\n" +
          Print(guarded->body, 8) + "      }\n    }\n  }\n";
  DeviceEdit edit;
  edit.body = std::move(body);
  edit.launch = site.launch;
  edit.launch->grid[static_cast<std::size_t>(chosen->dimension - 'x')] =
      CeilDiv(*extent, Number(*threads * *count));
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
