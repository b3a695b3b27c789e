#include "agents/catalogue/poly.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

bool IsOpaque(const std::string& name) { return name.starts_with("`"); }

bool IsWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool HoldsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsWordPart(text[at - 1])) &&
        (end == text.size() || !IsWordPart(text[end]))) {
      return true;
    }
  }
  return false;
}

bool NameMentions(const std::string& name, std::string_view word) {
  return name == word || (IsOpaque(name) && HoldsWord(name, word));
}

// Is it, or is it computed from, a number with a fraction?
bool HoldsFraction(const Expr& expr) {
  return HasPart(expr, [](const Expr& e) {
    const std::string called = CalledFunction(e);
    return (e.kind == ExprKind::kNumber && !IntegerValue(e) &&
            !e.text.starts_with("0x")) ||
           called == "static_cast<float>" || called == "static_cast<double>" ||
           (e.kind == ExprKind::kCast &&
            (e.text == "float" || e.text == "double"));
  });
}

// What a cast to a wide integer leaves as it is; null if that is not so.
const Expr* KeptByCast(const Expr& expr) {
  std::string type;
  const Expr* value = nullptr;
  if (expr.kind == ExprKind::kCast) {
    type = expr.text;
    value = &expr.args[0];
  } else if (const std::string called = CalledFunction(expr);
             called.starts_with("static_cast<") && expr.args.size() == 2) {
    type = called.substr(12, called.size() - 13);
    value = &expr.args[1];
  }
  for (const char* narrow : {"8_t", "16_t", "char", "short", "bool"}) {
    if (type.find(narrow) != std::string::npos) return nullptr;
  }
  return value != nullptr && !HoldsFraction(*value) ? value : nullptr;
}

}  // namespace

Expr Expanded(Expr expr, const Definitions& definitions) {
  for (const auto& [name, value] : definitions) {
    if (Mentions(expr, name)) {
      expr = Substituted(std::move(expr), name, value);
    }
  }
  return expr;
}

Poly::Poly(std::int64_t constant) { AddTerm({}, constant); }

Poly Poly::Variable(std::string name) {
  Poly poly;
  poly.AddTerm({std::move(name)}, 1);
  return poly;
}

void Poly::AddTerm(const Monomial& monomial, std::int64_t coefficient) {
  const auto [entry, added] = terms_.try_emplace(monomial, 0);
  entry->second += coefficient;
  if (entry->second == 0) terms_.erase(entry);
}

std::optional<std::int64_t> Poly::Constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) {
    return terms_.begin()->second;
  }
  return std::nullopt;
}

bool Poly::Mentions(std::string_view name) const {
  for (const auto& [monomial, coefficient] : terms_) {
    for (const std::string& factor : monomial) {
      if (NameMentions(factor, name)) return true;
    }
  }
  return false;
}

Poly Poly::operator+(const Poly& other) const {
  Poly sum = *this;
  for (const auto& [monomial, c] : other.terms_) sum.AddTerm(monomial, c);
  return sum;
}

Poly Poly::operator-(const Poly& other) const {
  Poly difference = *this;
  for (const auto& [monomial, c] : other.terms_) {
    difference.AddTerm(monomial, -c);
  }
  return difference;
}

Poly Poly::operator*(const Poly& other) const {
  Poly product;
  for (const auto& [left, a] : terms_) {
    for (const auto& [right, b] : other.terms_) {
      Monomial monomial = left;
      monomial.insert(monomial.end(), right.begin(), right.end());
      std::sort(monomial.begin(), monomial.end());
      product.AddTerm(monomial, a * b);
    }
  }
  return product;
}

Poly ToPoly(const Expr& expr, const Definitions& definitions) {
  if (const auto value = IntegerValue(expr)) return Poly(*value);
  if (expr.kind == ExprKind::kName) {
    const auto found = definitions.find(expr.text);
    if (found == definitions.end()) return Poly::Variable(expr.text);
    // A definition only uses names from before it, so this ends.
    return ToPoly(found->second, definitions);
  }
  if (expr.kind == ExprKind::kBinary) {
    const auto left = [&] { return ToPoly(expr.args[0], definitions); };
    const auto right = [&] { return ToPoly(expr.args[1], definitions); };
    if (expr.text == "+") return left() + right();
    if (expr.text == "-") return left() - right();
    if (expr.text == "*") return left() * right();
  }
  if (expr.kind == ExprKind::kUnary && expr.text == "-") {
    return Poly(0) - ToPoly(expr.args[0], definitions);
  }
  if (const Expr* whole = KeptByCast(expr)) return ToPoly(*whole, definitions);
  return Poly::Variable("`" + Print(Expanded(expr, definitions)));
}

std::optional<Affine> SplitBy(const Poly& poly, std::string_view name) {
  Affine parts;
  for (const auto& [monomial, coefficient] : poly.Terms()) {
    Poly term(coefficient);
    int times = 0;
    for (const std::string& factor : monomial) {
      if (factor == name) {
        ++times;
      } else if (NameMentions(factor, name)) {
        return std::nullopt;
      } else {
        term = term * Poly::Variable(factor);
      }
    }
    if (times > 1) return std::nullopt;
    (times == 1 ? parts.slope : parts.rest) =
        (times == 1 ? parts.slope : parts.rest) + term;
  }
  return parts;
}

bool HasPlainNames(const Poly& poly) {
  return std::ranges::none_of(poly.Terms(), [](const auto& term) {
    return std::ranges::any_of(term.first, IsOpaque);
  });
}

bool IsNotNegative(const Poly& poly) {
  std::int64_t least = 0;
  for (const auto& [monomial, coefficient] : poly.Terms()) {
    if (coefficient < 0 && !monomial.empty()) return false;
    least += coefficient;
  }
  return least >= 0 && HasPlainNames(poly);
}

bool Divides(const Poly& small, const Poly& large) {
  return std::all_of(
      small.Terms().begin(), small.Terms().end(), [&](const auto& term) {
        return std::any_of(
            large.Terms().begin(), large.Terms().end(), [&](const auto& host) {
              return host.first.size() > term.first.size() &&
                     std::includes(host.first.begin(), host.first.end(),
                                   term.first.begin(), term.first.end());
            });
      });
}

}  // namespace coppice::agents::catalogue
