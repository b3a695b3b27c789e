// Polynomials over the names of a kernel: what a subscript is made of.
//
// ((n * C + c) * H + y) * W + x  becomes  nCHW + cHW + yW + x, so that the
// stride of each loop variable can be read off.  What is no polynomial (a
// quotient, a loaded index) is one opaque name, its printed text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/catalogue/expr.h"

namespace coppice::agents::catalogue {

// A product of names, sorted; empty for 1.
using Monomial = std::vector<std::string>;

class Poly {
 public:
  Poly() = default;
  explicit Poly(std::int64_t constant);
  static Poly Variable(std::string name);

  const std::map<Monomial, std::int64_t>& Terms() const { return terms_; }
  bool IsZero() const { return terms_.empty(); }
  std::optional<std::int64_t> Constant() const;
  bool Mentions(std::string_view name) const;  // Also within opaque names.

  Poly operator+(const Poly& other) const;
  Poly operator-(const Poly& other) const;
  Poly operator*(const Poly& other) const;
  bool operator==(const Poly&) const = default;

 private:
  void AddTerm(const Monomial& monomial, std::int64_t coefficient);

  std::map<Monomial, std::int64_t> terms_;  // No zero coefficients.
};

// Names to replace by what they were defined as, such as a constant.
using Definitions = std::map<std::string, Expr>;

// With each of the names replaced once, in their order.
Expr Expanded(Expr expr, const Definitions& definitions);

Poly ToPoly(const Expr& expr, const Definitions& definitions);

// poly == slope * name + rest, neither of which mentions it.  Nothing if the
// polynomial is not affine in the name.
struct Affine {
  Poly slope;
  Poly rest;
};
std::optional<Affine> SplitBy(const Poly& poly, std::string_view name);

// Whether no name in it is opaque.
bool HasPlainNames(const Poly& poly);

// For sure, all names being sizes, which are at least 1.
bool IsNotNegative(const Poly& poly);

// True if every term of `small` is a proper part of a term of `large`: with
// row-major subscripts, a smaller stride.
bool Divides(const Poly& small, const Poly& large);

}  // namespace coppice::agents::catalogue
