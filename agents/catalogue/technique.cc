#include "agents/catalogue/technique.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "agents/catalogue/effects.h"

namespace coppice::agents::catalogue {
namespace {

// Follows the list to where `is_there` says; false if that is not in it.
// `type` becomes that of the last declaration on the way that is visible.
bool TypeOnTheWay(const StmtList& list, const std::string& scalar,
                  const std::function<bool(const Stmt&)>& is_there,
                  std::string& type) {
  std::string here = type;
  for (const Stmt& stmt : list) {
    if (is_there(stmt)) {
      type = here;
      return true;
    }
    for (const StmtList* part : {&stmt.body, &stmt.orelse}) {
      std::string inside = here;
      if (TypeOnTheWay(*part, scalar, is_there, inside)) {
        type = inside;
        return true;
      }
    }
    if (stmt.kind == StmtKind::kDecl && stmt.name == scalar) here = stmt.type;
  }
  return false;
}

}  // namespace

std::string TypeAt(const Site& site, const Stmt& loop,
                   const std::string& scalar) {
  const StmtList& span = site.span;
  // A statement that was made has no line.
  const auto old = std::find_if(span.begin(), span.end(), [](const Stmt& stmt) {
    return stmt.first_line > 0;
  });
  std::string type;
  if (old != span.end()) {
    TypeOnTheWay(
        site.kernel.body, scalar,
        [&](const Stmt& stmt) { return stmt.first_line == old->first_line; },
        type);
  }
  TypeOnTheWay(
      span, scalar, [&](const Stmt& stmt) { return &stmt == &loop; }, type);
  return type;
}

Site MakeSite(const Kernel& kernel, StmtList span, const Setting& setting) {
  Site site{kernel, std::move(span), DefinitionsIn(kernel.body),
            {},     setting,         {}};
  VisitStmts(kernel.body, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::kDecl || !stmt.init ||
        !stmt.type.starts_with("constexpr")) {
      return;
    }
    if (const auto value = ValueOf(*stmt.init, site.constants)) {
      site.constants[stmt.name] = *value;
    }
  });
  return site;
}

Constants WithDerived(Constants constants, const StmtList& list) {
  for (const Stmt& stmt : list) {
    if (stmt.kind != StmtKind::kDecl || !stmt.init) continue;
    if (const auto value = ValueOf(*stmt.init, constants)) {
      constants.try_emplace(stmt.name, *value);
    }
  }
  return constants;
}

std::vector<std::int64_t> TripsOf(const Site& site, const Stmt& loop) {
  std::vector<std::int64_t> trips;
  std::vector<Constants> all = site.setting.sizes;
  if (all.empty()) all.emplace_back();
  for (Constants sizes : all) {
    sizes.insert(site.constants.begin(), site.constants.end());
    sizes = WithDerived(std::move(sizes), site.kernel.body);
    const auto low = ValueOf(*loop.init, sizes);
    const auto high = ValueOf(loop.bound, sizes);
    if (!low || !high) return {};
    trips.push_back(*high - *low);
  }
  return trips;
}

const Stmt* FindLoop(const StmtList& list, std::string_view variable) {
  for (const Stmt& stmt : list) {
    if (stmt.kind == StmtKind::kFor && stmt.name == variable) return &stmt;
    if (const Stmt* found = FindLoop(stmt.body, variable)) return found;
    if (const Stmt* found = FindLoop(stmt.orelse, variable)) return found;
  }
  return nullptr;
}

Stmt* FindLoop(StmtList& list, std::string_view variable) {
  return const_cast<Stmt*>(FindLoop(std::as_const(list), variable));
}

bool ReplaceLoop(StmtList& list, std::string_view variable,
                 StmtList replacement) {
  for (auto stmt = list.begin(); stmt != list.end(); ++stmt) {
    if (stmt->kind == StmtKind::kFor && stmt->name == variable) {
      const auto at = list.erase(stmt);
      list.insert(at, std::make_move_iterator(replacement.begin()),
                  std::make_move_iterator(replacement.end()));
      return true;
    }
    if (FindLoop(stmt->body, variable) != nullptr) {
      return ReplaceLoop(stmt->body, variable, std::move(replacement));
    }
    if (FindLoop(stmt->orelse, variable) != nullptr) {
      return ReplaceLoop(stmt->orelse, variable, std::move(replacement));
    }
  }
  return false;
}

Rewritten WithLoop(const Site& site, std::string_view variable, StmtList made,
                   std::vector<std::string> helpers) {
  Rewritten result{site.span, std::move(helpers)};
  ReplaceLoop(result.span, variable, std::move(made));
  return result;
}

void InsertBeforeNest(StmtList& list, StmtList made, const std::string& name) {
  auto at = list.begin();
  while (at != list.end() && !Mentions(StmtList{*at}, name)) ++at;
  list.insert(at, std::make_move_iterator(made.begin()),
              std::make_move_iterator(made.end()));
}

std::optional<std::int64_t> ValueOf(const Expr& expr,
                                    const Constants& constants) {
  if (const auto value = IntegerValue(expr)) return value;
  if (expr.kind == ExprKind::kName) {
    const auto found = constants.find(expr.text);
    if (found == constants.end()) return std::nullopt;
    return found->second;
  }
  if (expr.kind == ExprKind::kCall && expr.args.size() == 2 &&
      CalledFunction(expr).starts_with("static_cast")) {
    return ValueOf(expr.args[1], constants);
  }
  if (expr.kind == ExprKind::kUnary && expr.text == "-") {
    const auto value = ValueOf(expr.args[0], constants);
    return value ? std::optional(-*value) : std::nullopt;
  }
  const std::string called = CalledFunction(expr);
  if ((called == "min" || called == "max") && expr.args.size() == 3) {
    const auto left = ValueOf(expr.args[1], constants);
    const auto right = ValueOf(expr.args[2], constants);
    if (!left || !right) return std::nullopt;
    return called == "min" ? std::min(*left, *right) : std::max(*left, *right);
  }
  if (expr.kind != ExprKind::kBinary) return std::nullopt;
  const auto left = ValueOf(expr.args[0], constants);
  const auto right = ValueOf(expr.args[1], constants);
  if (!left || !right) return std::nullopt;
  if (expr.text == "+") return *left + *right;
  if (expr.text == "-") return *left - *right;
  if (expr.text == "*") return *left * *right;
  if (expr.text == "/" && *right != 0) return *left / *right;
  if (expr.text == "%" && *right != 0) return *left % *right;
  return std::nullopt;
}

}  // namespace coppice::agents::catalogue
