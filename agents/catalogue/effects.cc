#include "agents/catalogue/effects.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace coppice::agents::catalogue {
namespace {

// What an alias stands for: the element that it refers to, or that it points
// to; nothing if that is not plain.
std::optional<Expr> Aliased(const Expr& init) {
  if (init.kind == ExprKind::kName) return Index(init, Number(0));
  if (init.kind == ExprKind::kIndex && !ArrayName(init).empty()) return init;
  if (init.kind == ExprKind::kUnary && init.text == "&" &&
      init.args[0].kind == ExprKind::kIndex) {
    return Aliased(init.args[0]);
  }
  if (init.kind == ExprKind::kCast) return Aliased(init.args[0]);
  if (init.kind == ExprKind::kBinary &&
      (init.text == "+" || init.text == "-")) {
    auto base = Aliased(init.args[0]);
    if (!base || Subscripts(*base).size() != 1) return std::nullopt;
    base->args[1] = init.text == "+" ? Add(base->args[1], init.args[1])
                                     : Sub(base->args[1], init.args[1]);
    return base;
  }
  const std::string called = CalledFunction(init);
  if (called.starts_with("static_cast") && init.args.size() == 2) {
    return Aliased(init.args[1]);
  }
  if (called == "__builtin_assume_aligned") return Aliased(init.args[1]);
  if (init.kind == ExprKind::kCall && init.args[0].kind == ExprKind::kMember &&
      init.args[0].text == "data") {
    return Aliased(init.args[0].args[0]);
  }
  return std::nullopt;
}

// What functions that techniques put above a kernel do to arguments is known.
bool IsHelper(const std::string& function) {
  return function == "PrefixSum16" || function == "LanesToRows16" ||
         function == "RowsToLanes16" || function == "ProductOfBytes" ||
         function.starts_with("Sliding");
}

class Collector {
 public:
  Effects effects;

  // Aliases that the list declares stand for what they name from here on.
  void Know(const StmtList& list, const std::set<std::string>& names) {
    declared_ = DeclaredNames(list);
    std::set<std::string> lost, moved;
    const auto note = [&](const Expr& target) {
      if (target.kind == ExprKind::kName) moved.insert(target.text);
    };
    VisitParts(list, [&](const Expr& e) {
      if (const Expr* changed = ChangedBy(e)) note(*changed);
      if (CalledFunction(e) == "swap") {
        std::for_each(e.args.begin() + 1, e.args.end(), note);
      }
    });
    VisitStmts(list, [&](const Stmt& stmt) {
      if (stmt.kind != StmtKind::kDecl || !names.contains(stmt.name)) return;
      auto target =
          stmt.init && stmt.dims.empty() ? Aliased(*stmt.init) : std::nullopt;
      const auto [known, added] =
          aliases_.try_emplace(stmt.name, target.value_or(Expr{}));
      if (!target || (!added && known->second != *target)) {
        lost.insert(stmt.name);
      }
      if (stmt.type.find('&') != std::string::npos) {
        references_.insert(stmt.name);
      }
    });
    // A pointer that goes elsewhere is an array like others as long as all
    // that it can reach is the list's own.
    for (const std::string& name : moved) {
      const auto known = aliases_.find(name);
      if (known == aliases_.end() || references_.contains(name)) continue;
      if (declared_.contains(Resolved(known->second).first)) {
        moved_.insert(name);
      } else {
        lost.insert(name);
      }
    }
    for (const std::string& name : moved_) aliases_.erase(name);
    for (const std::string& name : lost) {
      aliases_.erase(name);
      references_.erase(name);
      lost_.insert(name);
    }
  }

  // The value of a call that stands alone is of no use, so it is there for
  // what it does to what it is handed, or to what nobody sees.
  void Statement(const Expr& expr) {
    Value(expr);
    if (!IsCallAlone(expr) || expr.args[0].kind != ExprKind::kName) return;
    bool own = false, others = false;
    for (std::size_t i = 1; i < expr.args.size(); ++i) {
      const auto target = Aliased(expr.args[i]);
      if (!target) continue;
      (declared_.contains(Resolved(*target).first) ? own : others) = true;
    }
    effects.opaque |= others || !own;
  }

  void Value(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kName:
        if (references_.contains(expr.text)) {
          Element(aliases_.at(expr.text), /*read=*/true, /*write=*/false);
        }
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
    for (std::size_t i = 1; i < call.args.size(); ++i) {
      const Expr& arg = call.args[i];
      Value(arg);
      const auto whole = MayPoint(arg) ? Aliased(arg) : std::nullopt;
      if (whole && !KeepsPointer(callee)) {
        effects.handed.insert(Resolved(*whole).first);
      }
    }
  }

  // c + 4, and not c[i] + 4.
  static bool MayPoint(const Expr& arg) {
    const bool goes_on =
        arg.kind == ExprKind::kBinary || arg.kind == ExprKind::kCast;
    return goes_on ? MayPoint(arg.args[0]) : arg.kind != ExprKind::kIndex;
  }

  // Does it look at nothing of what it is handed, or only at the rows that it
  // is told of?
  static bool KeepsPointer(const Expr& callee) {
    return callee.text.starts_with("static_cast") ||
           callee.text == "__builtin_assume_aligned" || IsHelper(callee.text);
  }

  void Element(const Expr& index, bool read, bool write) {
    for (const Expr& subscript : Subscripts(index)) Value(subscript);
    auto [array, subscripts] = Resolved(index);
    effects.opaque |= array.empty() || lost_.contains(array);
    effects.accesses.push_back(
        {std::move(array), std::move(subscripts), read, write});
  }

  // The array and subscripts of an element, seen through aliases.
  std::pair<std::string, std::vector<Expr>> Resolved(const Expr& index) const {
    std::string array = ArrayName(index);
    std::vector<Expr> subscripts = Subscripts(index);
    // An alias names what was declared before it, so this ends.
    for (std::size_t depth = 0; depth <= aliases_.size(); ++depth) {
      const auto known = aliases_.find(array);
      if (known == aliases_.end()) break;
      std::vector<Expr> before = Subscripts(known->second);
      before.back() = Add(before.back(), subscripts.front());
      before.insert(before.end(), subscripts.begin() + 1, subscripts.end());
      array = ArrayName(known->second);
      subscripts = std::move(before);
    }
    return {array, subscripts};
  }

  void Target(const Expr& target, bool also_reads) {
    if (target.kind == ExprKind::kName && references_.contains(target.text)) {
      Element(aliases_.at(target.text), also_reads, /*write=*/true);
    } else if (target.kind == ExprKind::kName) {
      effects.writes.insert(target.text);
      if (also_reads) effects.reads.insert(target.text);
    } else if (target.kind == ExprKind::kIndex) {
      Element(target, also_reads, /*write=*/true);
    } else {
      effects.opaque = true;
    }
  }

  std::set<std::string> declared_;
  Definitions aliases_;  // Each with the element that it stands for.
  std::set<std::string> references_;  // Among these.
  std::set<std::string> moved_;       // Pointers among what is the list's own.
  std::set<std::string> lost_;        // Aliases of nobody knows what.
};

bool IsCall(const Expr& expr, const char* function) {
  return expr.kind == ExprKind::kCall && CalledFunction(expr) == function;
}

}  // namespace

bool IsCallAlone(const Expr& whole) {
  const std::string called = CalledFunction(whole);
  return whole.kind == ExprKind::kCall && called != "swap" &&
         called != "assert" && called != "static_assert" && !IsHelper(called);
}

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
  const std::set<std::string> names = Aliases(list);
  Collector collector;
  collector.Know(list, names);
  VisitStmts(list, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::kExpr) {
      collector.Statement(stmt.expr);
    } else if (stmt.kind == StmtKind::kDecl && names.contains(stmt.name) &&
               stmt.init && stmt.init->text == "&" &&
               stmt.init->kind == ExprKind::kUnary) {
      // It is followed, so that the address of an element is no secret.
      for (const Expr& e : Subscripts(stmt.init->args[0])) collector.Value(e);
    } else {
      VisitOwnExprs(stmt, [&](const Expr& expr) { collector.Value(expr); });
    }
  });
  collector.effects.opaque |= ContainsRaw(list);
  return std::move(collector.effects);
}

Definitions DefinitionsIn(const StmtList& list) {
  Definitions definitions;
  std::set<std::string> changing = EffectsOf(list).Written();
  changing.merge(AssignedInRaw(list));
  std::set<std::string> ambiguous = changing;
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
    // What it is made of may be another number by the time it is used.
    if (Mentions(value, stmt.name) || MentionsAny(value, changing)) {
      ambiguous.insert(stmt.name);
    }
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
