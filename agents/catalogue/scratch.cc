#include "agents/catalogue/scratch.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/range.h"
#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {
namespace {

// Elements low <= e < high that are written for sure.
struct Written {
  Poly low, high;
};

class Follower {
 public:
  Follower(const std::set<std::string>& arrays, const Definitions& definitions)
      : arrays_(arrays), definitions_(definitions) {}

  bool Follows(const StmtList& list) {
    changing_ = EffectsOf(list).Written();
    declared_ = DeclaredNames(list);
    List(list);
    return !failed_;
  }

 private:
  using State = std::map<std::string, std::vector<Written>>;

  void List(const StmtList& list) {
    const Definitions outside = definitions_;
    for (const Stmt& stmt : list) {
      if (!failed_) One(stmt);
    }
    definitions_ = outside;
  }

  // What the name stands for from here on.
  void Define(const Stmt& decl) {
    definitions_.erase(decl.name);
    if (decl.init && decl.dims.empty() && !changing_.contains(decl.name) &&
        decl.init->kind != ExprKind::kList &&
        decl.type.find("int") != std::string::npos) {
      definitions_[decl.name] = *decl.init;
    }
  }

  void One(const Stmt& stmt) {
    if (IsSwap(stmt)) {
      std::swap(written_[stmt.expr.args[1].text],
                written_[stmt.expr.args[2].text]);
      return;
    }
    switch (stmt.kind) {
      case StmtKind::kComment:
        return;
      case StmtKind::kExpr:
        Value(stmt.expr);
        return;
      case StmtKind::kDecl:
        for (const Expr& dim : stmt.dims) Value(dim);
        if (stmt.init) Value(*stmt.init);
        Define(stmt);
        return;
      case StmtKind::kFor:
        Loop(stmt);
        return;
      case StmtKind::kIf: {
        Value(stmt.expr);
        const State before = written_;
        ++branches_;
        List(stmt.body);
        written_ = before;
        List(stmt.orelse);
        written_ = before;
        --branches_;
        return;
      }
      case StmtKind::kBlock:
        List(stmt.body);
        return;
      case StmtKind::kRaw:
        failed_ = true;
        return;
    }
  }

  // What holds before the first iteration must hold before each.
  void Loop(const Stmt& loop) {
    Value(*loop.init);
    Value(loop.bound);
    const State before = written_;
    const std::size_t swaps = SwapsIn(loop.body);
    const Definitions outside = definitions_;
    definitions_.erase(loop.name);
    loops_.push_back(&loop);
    // An array whose writes go up with this loop grows while it runs.
    for (const std::string& array : arrays_) {
      if (const auto grown = Growth(loop, array)) growing_[array] = *grown;
    }
    List(loop.body);
    loops_.pop_back();
    definitions_ = outside;
    const State after = written_;
    written_ = before;
    for (const std::string& array : arrays_) {
      if (const auto grown = growing_.find(array);
          grown != growing_.end() && grown->second.loop == &loop) {
        Poly end = ToPoly(loop.bound, definitions_) + grown->second.offset;
        Add(array, {grown->second.first, end});
        growing_.erase(array);
      }
    }
    if (swaps == 0) return;
    // The second iteration finds what the first left: it must be no less.
    for (const auto& [array, intervals] : before) {
      for (const Written& interval : intervals) {
        failed_ |= !Covers(after, array, interval.low, interval.high);
      }
    }
  }

  // Does it stand for the same place wherever it is looked at?
  bool IsSteady(const Poly& place) const {
    return std::none_of(
        changing_.begin(), changing_.end(),
        [&](const std::string& name) { return place.Mentions(name); });
  }

  // Names from outside are sizes, at least 1; those of the list, such as loop
  // variables, are at least 0.
  bool NotNegative(const Poly& poly) const {
    std::int64_t least = 0;
    for (const auto& [monomial, coefficient] : poly.Terms()) {
      if (coefficient < 0 && !monomial.empty()) return false;
      const bool may_be_0 = std::any_of(
          monomial.begin(), monomial.end(), [&](const std::string& name) {
            return declared_.contains(name) || name.starts_with("`");
          });
      if (!may_be_0) least += coefficient;
    }
    return least >= 0;
  }

  static std::size_t SwapsIn(const StmtList& list) {
    std::size_t swaps = 0;
    VisitStmts(list, [&](const Stmt& s) { swaps += IsSwap(s) ? 1 : 0; });
    return swaps;
  }

  // a[v + offset] = ... by every iteration of a loop over v by 1.
  struct Growing {
    const Stmt* loop = nullptr;
    Poly offset;
    Poly first;
  };

  std::optional<Growing> Growth(const Stmt& loop, const std::string& array) {
    if (IntegerValue(loop.step) != 1 || branches_ > 0) return std::nullopt;
    for (const Stmt& stmt : loop.body) {
      if (stmt.kind != StmtKind::kExpr || stmt.expr.text != "=" ||
          !IsAssignment(stmt.expr) ||
          stmt.expr.args[0].kind != ExprKind::kIndex ||
          ArrayName(stmt.expr.args[0]) != array) {
        continue;
      }
      const Poly at = ToPoly(stmt.expr.args[0].args[1], definitions_);
      const auto split = SplitBy(at, loop.name);
      if (!split || split->slope.Constant() != 1 || !IsSteady(at)) continue;
      return Growing{&loop, split->rest,
                     ToPoly(*loop.init, definitions_) + split->rest};
    }
    return std::nullopt;
  }

  void Value(const Expr& expr) {
    if (IsAssignment(expr)) {
      Value(expr.args[1]);
      if (expr.args[0].kind == ExprKind::kIndex) {
        for (const Expr& sub : Subscripts(expr.args[0])) Value(sub);
        if (expr.text != "=") Read(expr.args[0]);
        Write(expr.args[0]);
        return;
      }
      Value(expr.args[0]);
      return;
    }
    if (expr.kind == ExprKind::kIndex) {
      for (const Expr& sub : Subscripts(expr)) Value(sub);
      Read(expr);
      return;
    }
    // The array as a whole, as in a call, may be read.
    if (expr.kind == ExprKind::kName) failed_ |= arrays_.contains(expr.text);
    for (const Expr& arg : expr.args) Value(arg);
  }

  void Write(const Expr& element) {
    const std::string array = ArrayName(element);
    if (!arrays_.contains(array) || Subscripts(element).size() != 1 ||
        branches_ > 0) {
      return;
    }
    const Poly at = ToPoly(element.args[1], definitions_);
    if (!IsSteady(at)) return;
    for (const Stmt* loop : loops_) {
      if (at.Mentions(loop->name)) return;  // By Growth, or not at all.
    }
    Add(array, {at, at + Poly(1)});
  }

  void Read(const Expr& element) {
    const std::string array = ArrayName(element);
    if (!arrays_.contains(array) || failed_) return;
    const Poly at = ToPoly(element.args[1], definitions_);
    if (Subscripts(element).size() != 1 || !IsSteady(at)) {
      failed_ = true;
      return;
    }
    if (const auto grown = growing_.find(array); grown != growing_.end()) {
      // v + d with d < offset, where v + d is not below the first.
      const Growing& growth = grown->second;
      const auto split = SplitBy(at, growth.loop->name);
      if (split && split->slope.Constant() == 1) {
        const auto behind = (growth.offset - split->rest).Constant();
        if (behind && *behind > 0) {
          const Poly lowest =
              ToPoly(*growth.loop->init, definitions_) + split->rest;
          if (NotNegative(lowest - growth.first) ||
              Covers(written_, array, lowest, growth.first)) {
            return;
          }
        }
      }
    }
    const auto range = RangeOf(at, loops_, definitions_);
    failed_ |=
        !range || !Covers(written_, array, range->low, range->high + Poly(1));
  }

  // Joined with what it touches.
  void Add(const std::string& array, Written made) {
    auto& intervals = written_[array];
    for (bool joined = true; joined;) {
      joined = false;
      for (auto at = intervals.begin(); at != intervals.end(); ++at) {
        const bool before =
            NotNegative(at->high - made.low) && NotNegative(made.low - at->low);
        const bool behind =
            NotNegative(made.high - at->low) && NotNegative(at->low - made.low);
        if (!before && !behind) continue;
        if (before) made.low = at->low;
        if (NotNegative(at->high - made.high)) made.high = at->high;
        intervals.erase(at);
        joined = true;
        break;
      }
    }
    intervals.push_back(std::move(made));
  }

  bool Covers(const State& state, const std::string& array, const Poly& low,
              const Poly& high) const {
    const auto found = state.find(array);
    if (found == state.end()) return false;
    return std::any_of(
        found->second.begin(), found->second.end(), [&](const Written& one) {
          return NotNegative(low - one.low) && NotNegative(one.high - high);
        });
  }

  const std::set<std::string>& arrays_;
  Definitions definitions_;
  std::set<std::string> changing_;
  std::set<std::string> declared_;
  State written_;
  std::map<std::string, Growing> growing_;
  std::vector<const Stmt*> loops_;
  int branches_ = 0;
  bool failed_ = false;
};

}  // namespace

bool IsSwap(const Stmt& stmt) {
  return stmt.kind == StmtKind::kExpr && CalledFunction(stmt.expr) == "swap" &&
         stmt.expr.args.size() == 3 &&
         stmt.expr.args[1].kind == ExprKind::kName &&
         stmt.expr.args[2].kind == ExprKind::kName;
}

bool WritesBeforeReading(const StmtList& list,
                         const std::set<std::string>& arrays,
                         const Definitions& definitions) {
  return Follower(arrays, definitions).Follows(list);
}

namespace {

// Elements of a declared array or vector; nothing if it is neither, or holds
// more than its size says.
std::optional<Scratch> AsScratch(const Stmt& decl) {
  if (decl.kind != StmtKind::kDecl || decl.type.find("static") == 0) {
    return std::nullopt;
  }
  if (decl.dims.size() == 1 && !decl.init) {
    return Scratch{decl.name, decl.type, decl.dims[0]};
  }
  const std::vector<Expr>* size = VectorArguments(decl);
  if (size == nullptr || size->size() != 1) return std::nullopt;
  return Scratch{decl.name, VectorElement(decl), size->front()};
}

// Only elements of it are used, or it is swapped with others.
bool IsUsedByElements(const StmtList& list, const std::string& array) {
  bool by_elements = true;
  const std::function<void(const Expr&)> look = [&](const Expr& e) {
    if (e.kind == ExprKind::kIndex && e.args[0].kind == ExprKind::kName) {
      look(e.args[1]);
      return;
    }
    if (CalledFunction(e) == "swap" && e.args.size() == 3) return;
    if (IsName(e, array)) by_elements = false;
    for (const Expr& arg : e.args) look(arg);
  };
  VisitExprs(list, look);
  return by_elements;
}

}  // namespace

std::vector<Scratch> ScratchOf(const Stmt& loop, const Kernel& kernel,
                               const Definitions& definitions, bool bold) {
  std::set<std::string> written = EffectsOf(loop.body).WrittenArrays();
  VisitStmts(loop.body, [&](const Stmt& stmt) {
    if (!IsSwap(stmt)) return;
    for (std::size_t i : {1U, 2U}) written.insert(stmt.expr.args[i].text);
  });
  const std::set<std::string> inside = DeclaredNames(loop.body);
  StmtList elsewhere = kernel.body;
  if (Stmt* here = FindLoop(elsewhere, loop.name)) here->body.clear();
  std::vector<Scratch> found;
  std::set<std::string> names;
  VisitStmts(kernel.body, [&](const Stmt& decl) {
    const auto scratch = AsScratch(decl);
    if (!scratch || !written.contains(decl.name) ||
        inside.contains(decl.name) || Mentions(elsewhere, decl.name) ||
        MentionsAny(scratch->size, inside) ||
        Mentions(scratch->size, loop.name) ||
        !IsUsedByElements(loop.body, decl.name)) {
      return;
    }
    found.push_back(*scratch);
    names.insert(decl.name);
  });
  const Definitions visible = WithThoseIn(loop.body, definitions);
  if (!bold && !WritesBeforeReading(loop.body, names, visible)) return {};
  return found;
}

Stmt MakeBuffer(const std::string& element, const std::string& name) {
  return MakeDecl("static thread_local std::vector<" + element + ">", name,
                  std::nullopt);
}

StmtList Declared(const Scratch& scratch, std::int64_t copies,
                  const std::string& buffer) {
  return {MakeBuffer(scratch.element, buffer),
          MakeExpr(CallMethod(buffer, "resize",
                              {Mul(scratch.size, Number(copies))})),
          MakeDecl(scratch.element + "*", scratch.array,
                   CallMethod(buffer, "data"))};
}

}  // namespace coppice::agents::catalogue
