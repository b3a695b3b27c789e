// math(function, variant): calls of the C library in the span become inline
// functions without branches, which the compiler can turn into vector code.
//
// math(exp)          2 ulp; exp, tanh, erf and log are there
// math(exp, rough)   about 12 bits, for tasks that would not notice
// math(tanh, quick)  by one exponential: absolute, not relative accuracy
// math(pow)          small whole powers as products
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/math_helpers.h"
#include "agents/catalogue/strip.h"

namespace coppice::agents::catalogue {
namespace {

// x * x * x
Expr Product(const Expr& base, std::int64_t power) {
  Expr product = base;
  for (std::int64_t i = 1; i < power; ++i) product = Mul(product, base);
  return product;
}

std::int64_t SmallPower(const Expr& exponent) {
  if (const auto value = IntegerValue(exponent)) {
    return *value >= 2 && *value <= 4 ? *value : 0;
  }
  if (exponent.kind != ExprKind::kNumber) return 0;
  for (std::int64_t power : {2, 3, 4}) {
    const std::string digit = std::to_string(power);
    if (exponent.text == digit + ".0f" || exponent.text == digit + ".0" ||
        exponent.text == digit + ".f") {
      return power;
    }
  }
  return 0;
}

int ReplacePowers(StmtList& span, const Kernel& kernel) {
  int replaced = 0;
  RewriteParts(span, [&](Expr& e) {
    if (CalledFunction(e) != "pow" || e.args.size() != 3) return false;
    const std::int64_t power = SmallPower(e.args[2]);
    Expr base = e.args[1];
    const bool changes = HasPart(
        base, [](const Expr& part) { return ChangedBy(part) != nullptr; });
    if (power == 0 || changes) return false;
    // Else pow(3, 2) / 2 would be cut to 4.
    if (IsWhole(base, kernel)) {
      base = Call("static_cast<double>", {std::move(base)});
    }
    e = Product(base, power);
    ++replaced;
    return true;
  });
  return replaced;
}

int ReplaceCalls(StmtList& span, const std::string& function,
                 const MathHelper& helper) {
  int replaced = 0;
  RewriteParts(span, [&](Expr& e) {
    if (CalledFunction(e) == function) {
      e.args[0] = Name(std::string(helper.name));
      ++replaced;
    }
    return false;
  });
  return replaced;
}

}  // namespace

Outcome CheaperMath(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  const std::string function = technique.Arg(0);
  int replaced = 0;
  if (function == "pow") {
    replaced = ReplacePowers(result.span, site.kernel);
  } else {
    const MathHelper* helper = FindMathHelper(function, technique.Arg(1));
    if (helper == nullptr) return NoReason("no such function is known");
    replaced = ReplaceCalls(result.span, function, *helper);
    result.helpers = HelperSources(*helper);
  }
  if (replaced == 0) {
    return NoReason("the span has no call of `" + function + "`");
  }
  return result;
}

}  // namespace coppice::agents::catalogue
