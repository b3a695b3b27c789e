#include "agents/catalogue/effects.h"

namespace coppice::agents::catalogue {
namespace {

class Collector {
 public:
  Effects effects;

  void Value(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kName:
        effects.reads.insert(expr.text);
        return;
      case ExprKind::kIndex:
        Element(expr, /*read=*/true, /*write=*/false);
        return;
      case ExprKind::kBinary:
        if (IsAssignment(expr)) {
          Value(expr.args[1]);
          Target(expr.args[0], expr.text != "=");
          return;
        }
        break;
      case ExprKind::kUnary:
        if (expr.text == "++" || expr.text == "--") {
          Target(expr.args[0], true);
          return;
        }
        effects.opaque |= expr.text == "*" || expr.text == "&";
        break;
      case ExprKind::kPostfix:
        Target(expr.args[0], true);
        return;
      case ExprKind::kCall:
        CallOf(expr);
        return;
      default:
        break;
    }
    for (const Expr& arg : expr.args) Value(arg);
  }

 private:
  void CallOf(const Expr& call) {
    const Expr& callee = call.args[0];
    if (CalledFunction(call) == "swap") {
      for (std::size_t i = 1; i < call.args.size(); ++i) {
        Target(call.args[i], true);
      }
      return;
    }
    if (IsName(callee, "LanesToRows16") && call.args.size() == 5 &&
        call.args[4].kind == ExprKind::kBinary) {
      Element(Index(call.args[4].args[0], call.args[4].args[1]), false, true);
    }
    if (callee.kind == ExprKind::kMember) {
      if (callee.text == "assign" || callee.text == "resize") {
        Target(callee.args[0], false);
      } else {
        effects.opaque |= callee.text != "data" && callee.text != "size";
        Value(callee.args[0]);
      }
    }
    for (std::size_t i = 1; i < call.args.size(); ++i) Value(call.args[i]);
  }

  void Element(const Expr& index, bool read, bool write) {
    ArrayAccess access{ArrayName(index), Subscripts(index), read, write};
    for (const Expr& subscript : access.subscripts) Value(subscript);
    effects.opaque |= access.array.empty();
    effects.accesses.push_back(std::move(access));
  }

  void Target(const Expr& target, bool also_reads) {
    if (target.kind == ExprKind::kName) {
      effects.writes.insert(target.text);
      if (also_reads) effects.reads.insert(target.text);
    } else if (target.kind == ExprKind::kIndex) {
      Element(target, also_reads, /*write=*/true);
    } else {
      effects.opaque = true;
    }
  }
};

bool IsCall(const Expr& expr, const char* function) {
  return expr.kind == ExprKind::kCall && CalledFunction(expr) == function;
}

}  // namespace

std::set<std::string> Effects::Written() const {
  std::set<std::string> names = WrittenArrays();
  names.insert(writes.begin(), writes.end());
  return names;
}

std::set<std::string> Effects::WrittenArrays() const {
  std::set<std::string> names;
  for (const ArrayAccess& access : accesses) {
    if (access.write) names.insert(access.array);
  }
  return names;
}

std::set<std::string> Effects::ReadArrays() const {
  std::set<std::string> names;
  for (const ArrayAccess& access : accesses) {
    if (access.read) names.insert(access.array);
  }
  return names;
}

Effects EffectsOf(const StmtList& list) {
  Collector collector;
  VisitExprs(list, [&](const Expr& expr) { collector.Value(expr); });
  collector.effects.opaque |= ContainsRaw(list);
  return std::move(collector.effects);
}

Definitions DefinitionsIn(const StmtList& list) {
  Definitions definitions;
  std::set<std::string> ambiguous = EffectsOf(list).writes;
  VisitStmts(list, [&](const Stmt& stmt) {
    if (stmt.name.empty()) return;
    const bool defines = stmt.kind == StmtKind::kDecl && stmt.init &&
                         stmt.dims.empty() &&
                         stmt.init->kind != ExprKind::kList &&
                         stmt.type.find("int") != std::string::npos;
    if (!defines) {
      ambiguous.insert(stmt.name);
      return;
    }
    // Constants stay symbols: their names say which stride is which.
    if (IntegerValue(*stmt.init)) return;
    const bool shifted =
        IsCall(*stmt.init, "min") && stmt.init->args[1].kind == ExprKind::kName;
    const Expr& value = shifted ? stmt.init->args[1] : *stmt.init;
    const auto [entry, added] = definitions.try_emplace(stmt.name, value);
    if (!added && entry->second != value) ambiguous.insert(stmt.name);
    if (Mentions(value, stmt.name)) ambiguous.insert(stmt.name);
  });
  std::erase_if(definitions, [&](const auto& entry) {
    return ambiguous.contains(entry.first);
  });
  return definitions;
}

Definitions WithThoseIn(const StmtList& list, Definitions definitions) {
  for (auto& [name, value] : DefinitionsIn(list)) definitions[name] = value;
  return definitions;
}

}  // namespace coppice::agents::catalogue
