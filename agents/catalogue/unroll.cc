#include "agents/catalogue/unroll.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/token.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::int64_t kLongest = 8;

// What is unknown may declare a name, too.
bool MayDeclare(const StmtList& list) {
  return std::any_of(list.begin(), list.end(), [](const Stmt& stmt) {
    return stmt.kind == StmtKind::kDecl || stmt.kind == StmtKind::kRaw;
  });
}

// Text would keep the variable's name, and `break` or `continue` mean the loop
// around.
bool NeedsLoop(const StmtList& body, const std::string& variable) {
  return MayBreak(body) || NamesInRaw(body).contains(variable) ||
         HasStmt(body, [&](const Stmt& stmt) {
           if (stmt.kind != StmtKind::kRaw) return false;
           const std::string first = Tokenize(stmt.text).front().text;
           const bool is_loop =
               first == "while" || first == "for" || first == "do";
           return !is_loop && NamesInRaw({stmt}).contains("continue");
         });
}

}  // namespace

std::optional<std::int64_t> KnownTrips(const Stmt& loop,
                                       const Constants& constants) {
  const auto low = ValueOf(*loop.init, constants);
  const auto high = ValueOf(loop.bound, constants);
  const auto step = ValueOf(loop.step, constants);
  if (!low || !high || !step || *step <= 0) return std::nullopt;
  return std::max<std::int64_t>(0, (*high - *low + *step - 1) / *step);
}

Outcome Unroll(const Site& site, const Stmt& loop, const Technique&) {
  const auto trips = KnownTrips(loop, site.constants);
  if (!trips || *trips > kLongest) {
    return NoReason("its length is not known to be small");
  }
  if (!loop.pragmas.empty()) return NoReason("a pragma needs the loop");
  if (NeedsLoop(loop.body, loop.name)) {
    return NoReason("it holds unknown code");
  }
  if (EffectsOf(loop.body).writes.contains(loop.name)) {
    return NoReason("its body changes `" + loop.name + "`");
  }
  StmtList list;
  for (std::int64_t i = 0; i < *trips; ++i) {
    StmtList body = loop.body;
    Expr value = Add(*loop.init, Mul(loop.step, Number(i)));
    if (Wraps(loop.type)) {
      value = Call("static_cast<" + loop.type + ">", {std::move(value)});
    }
    Substitute(body, loop.name, value);
    VisitExprs(body, [](Expr& e) { e = Folded(std::move(e)); });
    if (MayDeclare(body)) body = {MakeBlock(std::move(body))};
    Append(list, std::move(body));
  }
  return WithLoop(site, loop.name, std::move(list));
}

}  // namespace coppice::agents::catalogue
