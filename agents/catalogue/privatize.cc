#include "agents/catalogue/privatize.h"

#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/strip.h"

namespace coppice::agents::catalogue {
namespace {

struct Count {
  std::string table;
  Expr bin;
  std::int64_t bins = 0;
  Expr value;
};

// The one statement `table[bin] += value` of the loop.
std::vector<Count> MatchCounts(const Stmt& loop) {
  const StmtList body = WithoutComments(loop.body);
  if (body.size() != 1 || body[0].kind != StmtKind::kExpr) return {};
  const Expr& expr = body[0].expr;
  const auto fold = FoldOf(expr);
  if (fold.empty() || fold[0].op != "+" ||
      expr.args[0].kind != ExprKind::kIndex ||
      expr.args[0].args[0].kind != ExprKind::kName) {
    return {};
  }
  Count count{ArrayName(expr.args[0]), expr.args[0].args[1], 0, fold[0].value};
  const Expr& bin = count.bin;
  if (bin.kind != ExprKind::kBinary) return {};
  const auto limit = IntegerValue(bin.args[1]);
  if (limit && bin.text == "&") count.bins = *limit + 1;
  if (limit && bin.text == "%") count.bins = *limit;
  const auto steps = [](const Expr& e) { return ChangedBy(e) != nullptr; };
  if (count.bins <= 0 || count.bins > 4096 || HasPart(count.bin, steps) ||
      HasPart(count.value, steps) || Mentions(count.bin, count.table) ||
      Mentions(count.value, count.table) || Mentions(loop.bound, count.table)) {
    return {};
  }
  return {count};
}

Expr Element(const std::string& tables, Expr copy, Expr bin) {
  return Index(Index(Name(tables), std::move(copy)), std::move(bin));
}

}  // namespace

bool CountsIntoTable(const Stmt& loop) { return !MatchCounts(loop).empty(); }

Outcome Privatize(const Site& site, const Stmt& loop,
                  const Technique& technique) {
  const std::int64_t copies = technique.IntArg(1).value_or(0);
  const bool threads = technique.Arg(2) == "threads";
  if (copies < 1 || copies > 16) return NoReason("there is no such loop here");
  if (threads && site.setting.threads < 2)
    return NoReason("there is only one thread");
  const auto counts = MatchCounts(loop);
  if (counts.empty()) {
    return NoReason("the loop is no count into a table of known size");
  }
  const Count& count = counts[0];
  const Param* param = site.kernel.FindParam(count.table);
  if (param == nullptr) return NoReason("the table's type is unknown");
  const std::string tables = site.Fresh(count.table + "_part");
  const std::string bin = site.Fresh("bin_at");
  const std::string copy = site.Fresh("copy");
  Stmt declare =
      MakeArray(param->Element(), tables, {Number(copies), Number(count.bins)});
  declare.init = Expr{ExprKind::kList, "{", {}};
  const Strips strips = CutIntoStrips(loop, copies, site.constants);
  Stmt main = WholeStrips(loop, strips, {});
  main.pragmas.clear();
  if (threads) {
    main.pragmas = {"#pragma omp parallel for reduction(+:" + tables + ")"};
  }
  for (std::int64_t i = 0; i < copies; ++i) {
    const Expr here = AtLane(loop, Number(i));
    main.body.push_back(MakeExpr(Binary(
        "+=",
        Element(tables, Number(i), Substituted(count.bin, loop.name, here)),
        Substituted(count.value, loop.name, here))));
  }
  Stmt add =
      MakeFor(copy, Number(0), Number(copies), Number(1),
              {MakeExpr(Binary("+=", Index(Name(count.table), Name(bin)),
                               Element(tables, Name(copy), Name(bin))))});
  Stmt merge = MakeFor(bin, Number(0), Number(count.bins), Number(1), {add});
  StmtList list = {std::move(declare), std::move(main)};
  if (!strips.exact && (copies > 1 || IntegerValue(loop.step) != 1)) {
    list.push_back(ScalarTail(loop, strips));
  }
  list.push_back(std::move(merge));
  return WithLoop(site, loop.name, std::move(list));
}

}  // namespace coppice::agents::catalogue
