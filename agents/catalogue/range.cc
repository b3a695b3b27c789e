#include "agents/catalogue/range.h"

#include "agents/catalogue/parse.h"

namespace coppice::agents::catalogue {
namespace {

// A sum of products with only positive (or only negative) coefficients has
// that sign, all names being sizes.
std::optional<bool> IsPositive(const Poly& slope) {
  std::optional<bool> positive;
  for (const auto& [monomial, coefficient] : slope.Terms()) {
    if (positive && *positive != (coefficient > 0)) return std::nullopt;
    positive = coefficient > 0;
  }
  return positive;
}

}  // namespace

std::optional<Range> RangeOf(const Poly& poly,
                             const std::vector<const Stmt*>& loops,
                             const Definitions& definitions) {
  Range range{poly, poly};
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    const std::string& name = (*loop)->name;
    const Poly first = ToPoly(*(*loop)->init, definitions);
    const Poly last = ToPoly((*loop)->bound, definitions) - Poly(1);
    for (Poly* end : {&range.low, &range.high}) {
      if (!end->Mentions(name)) continue;
      const auto split = SplitBy(*end, name);
      if (!split) return std::nullopt;
      const auto positive = IsPositive(split->slope);
      if (!positive) return std::nullopt;
      const bool at_first = *positive == (end == &range.low);
      *end = split->rest + split->slope * (at_first ? first : last);
    }
  }
  return range;
}

Expr ToExpr(const Poly& poly) {
  Expr sum = Number(0);
  // Positive terms first: "W - 2" reads better than "-2 + W".
  for (const bool positive : {true, false}) {
    for (const auto& [monomial, coefficient] : poly.Terms()) {
      if ((coefficient > 0) != positive || monomial.empty()) continue;
      Expr term = Number(std::abs(coefficient));
      for (const std::string& name : monomial) {
        const bool opaque = name.starts_with("`");
        term = Mul(term, opaque ? ParseExpr(name.substr(1)) : Name(name));
      }
      sum = positive ? Add(sum, term) : Binary("-", sum, term);
    }
  }
  const auto constant = poly.Terms().find(Monomial{});
  return constant == poly.Terms().end() ? sum
                                        : Add(sum, Number(constant->second));
}

}  // namespace coppice::agents::catalogue
