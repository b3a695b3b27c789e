#include "agents/catalogue/tabulate.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/effects.h"
#include "agents/catalogue/survey.h"

namespace coppice::agents::catalogue {
namespace {

// The loops from the top of the list to the one over `variable`.
bool PathTo(const StmtList& list, const std::string& variable,
            std::vector<const Stmt*>& path) {
  for (const Stmt& stmt : list) {
    if (stmt.kind == StmtKind::kFor) path.push_back(&stmt);
    if (stmt.kind == StmtKind::kFor && stmt.name == variable) return true;
    if (PathTo(stmt.body, variable, path) ||
        PathTo(stmt.orelse, variable, path)) {
      return true;
    }
    if (stmt.kind == StmtKind::kFor) path.pop_back();
  }
  return false;
}

struct Tabulated {
  std::string name;                // As the loop declares it.
  std::string type;                // Of an element.
  Expr whole;                      // By loop variables and names from outside.
  std::vector<const Stmt*> loops;  // Whose variables it is made of.
  std::optional<Expr> remainder;   // X % M of which alone it is made.
};

class TableFinder {
 public:
  TableFinder(const Site& site, const std::string& variable) {
    if (!PathTo(site.span, variable, path_)) return;
    const Stmt& nest = *path_.front();
    const Effects effects = EffectsOf({nest});
    if (effects.opaque) return;
    fixed_ = [&, effects](const std::string& name) {
      return !effects.writes.contains(name);
    };
    declared_ = DeclaredNames({nest});
    for (const Stmt* loop : path_) declared_.erase(loop->name);
    for (const Stmt& stmt : path_.back()->body) Look(stmt);
  }

  const std::vector<const Stmt*>& Path() const { return path_; }
  const std::vector<Tabulated>& Found() const { return found_; }

 private:
  void Look(const Stmt& stmt) {
    if (stmt.kind != StmtKind::kDecl || !stmt.init || !stmt.dims.empty()) {
      return;
    }
    const Expr whole = Expanded(*stmt.init, known_);
    const std::string type = WithoutConst(stmt.type);
    if (!fixed_(stmt.name)) return;
    known_[stmt.name] = Call("static_cast<" + type + ">", {whole});
    if (LibraryCalls({MakeExpr(whole)}).empty() || !IsPure(whole)) return;
    Tabulated value{stmt.name, type, whole, {}, std::nullopt};
    for (const Stmt* loop : path_) {
      if (!Mentions(whole, loop->name)) continue;
      // From 0 on, by 1, up to what is known in front of the nest.
      if (!CountsFromZero(*loop) || !IsPure(loop->bound) ||
          MentionsAny(loop->bound, Variables())) {
        return;
      }
      value.loops.push_back(loop);
    }
    value.remainder = RemainderOf(value);
    const bool all = value.loops.size() == path_.size();
    if (value.loops.empty() || (all && !value.remainder)) return;
    found_.push_back(std::move(value));
  }

  std::set<std::string> Variables() const {
    std::set<std::string> names;
    for (const Stmt* loop : path_) names.insert(loop->name);
    return names;
  }

  // Made of numbers, loop variables and names that the nest leaves alone.
  bool IsPure(const Expr& expr) const {
    bool pure = true;
    Visit(expr, [&](const Expr& e) {
      pure &= e.kind != ExprKind::kIndex && e.kind != ExprKind::kMember &&
              ChangedBy(e) == nullptr;
      if (e.kind == ExprKind::kName) {
        pure &= fixed_(e.text) && !declared_.contains(e.text);
      }
      if (e.kind == ExprKind::kCall) {
        const std::string called = CalledFunction(e);
        pure &= called.starts_with("static_cast") ||
                !LibraryCalls({MakeExpr(e)}).empty() || called == "sqrt";
      }
    });
    return pure;
  }

  // If loop variables occur in one X % M alone, where M does not change.
  std::optional<Expr> RemainderOf(const Tabulated& value) const {
    std::optional<Expr> remainder;
    bool only = true;
    const std::function<void(const Expr&)> look = [&](const Expr& e) {
      if (e.kind == ExprKind::kBinary && e.text == "%" &&
          !MentionsAny(e.args[1], Variables()) && IsSum(e.args[0])) {
        only &= !remainder || *remainder == e;
        remainder = e;
        return;
      }
      if (e.kind == ExprKind::kName) only &= !Variables().contains(e.text);
      for (const Expr& arg : e.args) look(arg);
    };
    look(value.whole);
    return only ? remainder : std::nullopt;
  }

  // Never negative: sums and products of loop variables and plain numbers.
  static bool IsSum(const Expr& expr) {
    if (expr.kind == ExprKind::kBinary) {
      return (expr.text == "+" || expr.text == "*") && IsSum(expr.args[0]) &&
             IsSum(expr.args[1]);
    }
    const auto value = IntegerValue(expr);
    return expr.kind == ExprKind::kName || (value && *value >= 0);
  }

  std::vector<const Stmt*> path_;
  std::set<std::string> declared_;
  std::function<bool(const std::string&)> fixed_;
  Definitions known_;
  std::vector<Tabulated> found_;
};

// Declares the table and fills it, in front of the nest.
class FilledTable {
 public:
  FilledTable(const Site& site, const Tabulated& value, bool fold_outside)
      : site_(site), value_(value), loops_(value.loops) {
    // A fold's variable outside: neighbours of the others lie side by side.
    if (fold_outside) {
      std::rotate(loops_.begin(), loops_.end() - 1, loops_.end());
    }
  }

  StmtList Fill(bool whole) {
    StmtList list;
    Expr element = value_.whole;
    if (value_.remainder) {
      const Expr& size = value_.remainder->args[1];
      const std::string period = site_.Fresh(value_.name + "_period");
      const std::string at = site_.Fresh(value_.name + "_at");
      list.push_back(MakeVector(value_.type, period, {size}));
      list.push_back(
          MakeFor(at, Number(0), size, Number(1),
                  {MakeExpr(Binary(
                      "=", Index(Name(period), Name(at)),
                      Exchanged(value_.whole, *value_.remainder, Name(at))))}));
      element = Index(Name(period), *value_.remainder);
    }
    if (!whole) {
      use_ = element;
      return list;
    }
    const std::string table = site_.Fresh(value_.name + "_table");
    Expr size = loops_[0]->bound;
    Expr position = Name(loops_[0]->name);
    for (std::size_t i = 1; i < loops_.size(); ++i) {
      size = Mul(size, loops_[i]->bound);
      position = Add(Mul(position, loops_[i]->bound), Name(loops_[i]->name));
    }
    use_ = Index(Name(table), position);
    StmtList body = {MakeExpr(Binary("=", use_, element))};
    for (std::size_t i = loops_.size(); i-- > 0;) {
      body = {MakeFor(loops_[i]->name, Number(0), loops_[i]->bound, Number(1),
                      std::move(body))};
      body[0].type = loops_[i]->type;
    }
    for (const Stmt* loop : loops_) {  // Not to be taken for the nest's.
      Rename(body, loop->name, site_.Fresh(loop->name + "_of"));
    }
    list.push_back(MakeVector(value_.type, table, {size}));
    Append(list, std::move(body));
    return list;
  }

  const Expr& Use() const { return use_; }

 private:
  const Site& site_;
  const Tabulated& value_;
  std::vector<const Stmt*> loops_;
  Expr use_;
};

// Declarations in the list that nothing mentions any more.
void DropUnused(StmtList& list) {
  for (std::size_t i = list.size(); i-- > 0;) {
    const Stmt& stmt = list[i];
    if (stmt.kind != StmtKind::kDecl || !stmt.dims.empty()) continue;
    StmtList others = list;
    others.erase(others.begin() + static_cast<long>(i));
    if (!Mentions(others, stmt.name)) list = std::move(others);
  }
}

}  // namespace

bool Tabulatable(const Stmt& loop, const Site& site) {
  return !TableFinder(site, loop.name).Found().empty();
}

Outcome Tabulate(const Site& site, const Stmt& loop, const Technique&) {
  Rewritten result{site.span, {}};
  const TableFinder finder(site, loop.name);
  if (finder.Found().empty()) {
    return NoReason("no library call depends on fewer loops than all");
  }
  StmtList& body = FindLoop(result.span, loop.name)->body;
  const bool fold =
      !TestIndependence(loop, site.definitions).reductions.empty();
  StmtList before;
  for (const Tabulated& value : finder.Found()) {
    FilledTable table(site, value,
                      fold && value.loops.back()->name == loop.name);
    const bool whole = value.loops.size() < finder.Path().size();
    Append(before, table.Fill(whole));
    for (Stmt& stmt : body) {
      if (stmt.kind == StmtKind::kDecl && stmt.name == value.name) {
        stmt.init = table.Use();
      }
    }
  }
  DropUnused(body);
  for (auto at = result.span.begin(); at != result.span.end(); ++at) {
    if (FindLoop(StmtList{*at}, loop.name) == nullptr) continue;
    result.span.insert(at, before.begin(), before.end());
    break;
  }
  return result;
}

}  // namespace coppice::agents::catalogue
