#include "agents/catalogue/scan.h"

#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/strip.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::int64_t kWidth = 16;

constexpr std::string_view kPrefixSum =
    R"(static inline void PrefixSum16(float* block, float start) {
  typedef float Lanes __attribute__((vector_size(64)));
  typedef int Order __attribute__((vector_size(64)));
  Lanes v;
  __builtin_memcpy(&v, block, sizeof v);
  const Lanes zero = {};
  v += __builtin_shuffle(zero, v, Order{0, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                        25, 26, 27, 28, 29, 30});
  v += __builtin_shuffle(zero, v, Order{0, 0, 16, 17, 18, 19, 20, 21, 22, 23,
                                        24, 25, 26, 27, 28, 29});
  v += __builtin_shuffle(zero, v, Order{0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22,
                                        23, 24, 25, 26, 27});
  v += __builtin_shuffle(zero, v, Order{0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19,
                                        20, 21, 22, 23});
  v += start;
  __builtin_memcpy(block, &v, sizeof v);
}
)";

// The statements `s += e;` and `target = s;` of a scan.
struct Parts {
  std::string scalar;
  Expr value;
  Expr target;
};

// Does it change anything but what it is assigned to?
bool ChangesMore(const Expr& whole) {
  int changes = 0;
  Visit(whole, [&](const Expr& e) { changes += ChangedBy(e) ? 1 : 0; });
  return changes > 1;
}

std::vector<Parts> MatchScan(const Stmt& loop) {
  const StmtList body = WithoutComments(loop.body);
  if (body.size() != 2 || body[0].kind != StmtKind::kExpr ||
      body[1].kind != StmtKind::kExpr) {
    return {};
  }
  const auto fold = FoldOf(body[0].expr);
  const Expr& store = body[1].expr;
  if (fold.empty() || fold[0].op != "+" ||
      body[0].expr.args[0].kind != ExprKind::kName || store.text != "=" ||
      !IsName(store.args[1], fold[0].target) ||
      store.args[0].kind != ExprKind::kIndex ||
      Mentions(store.args[0], fold[0].target) || ChangesMore(body[0].expr) ||
      ChangesMore(store) || Mentions(fold[0].value, ArrayName(store.args[0]))) {
    return {};
  }
  return {{fold[0].target, fold[0].value, store.args[0]}};
}

}  // namespace

std::string ScannedScalar(const Stmt& loop) {
  const auto parts = MatchScan(loop);
  return parts.empty() ? "" : parts[0].scalar;
}

Outcome Scan(const Site& site, const Stmt& loop, const Technique&) {
  const auto parts = MatchScan(loop);
  if (parts.empty()) return NoReason("the loop is no running sum");
  if (TypeAt(site, loop, parts[0].scalar) != "float") {
    return NoReason("the sum is no float");
  }
  const Strips strips = CutIntoStrips(loop, kWidth, site.constants);
  const std::string block = site.Fresh(parts[0].scalar + "_block");
  const std::string lane = site.Fresh(loop.name + "_lane");
  const Expr here = AtLane(loop, Name(lane));
  const Expr element = Index(Name(block), Name(lane));
  const auto at_lane = [&](const Expr& expr) {
    return Substituted(expr, loop.name, here);
  };
  Stmt main = loop;
  main.bound = strips.main_bound;
  main.step = strips.step;
  main.body = {
      MakeArray("float", block, {Number(kWidth)}),
      LaneLoop(loop, lane, kWidth,
               {MakeExpr(Binary("=", element, at_lane(parts[0].value)))}),
      MakeExpr(Call("PrefixSum16", {Name(block), Name(parts[0].scalar)})),
      LaneLoop(loop, lane, kWidth,
               {MakeExpr(Binary("=", at_lane(parts[0].target), element))}),
      MakeExpr(Binary("=", Name(parts[0].scalar),
                      Index(Name(block), Number(kWidth - 1))))};
  StmtList list = {std::move(main)};
  if (!strips.exact) list.push_back(ScalarTail(loop, strips));
  return WithLoop(site, loop.name, std::move(list), {std::string(kPrefixSum)});
}

}  // namespace coppice::agents::catalogue
