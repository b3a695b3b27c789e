#include "eval/formats/axis_expression.h"

#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

constexpr double kEndOfIntegers = 0x1p53;
constexpr int kMostNested = 64;

bool BeginsName(char c) {
  return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool IsNumeral(char c) { return c >= '0' && c <= '9'; }

// What a name ends before.
std::size_t EndOfName(std::string_view text, std::size_t at) {
  while (at < text.size() && (BeginsName(text[at]) || IsNumeral(text[at])))
    ++at;
  return at;
}

// Parses by precedence, from sums down to powers.
class Parser {
 public:
  using Lookup = std::function<std::optional<double>(const std::string&)>;

  Parser(std::string_view text, Lookup size)
      : text_(text), size_(std::move(size)) {}

  Result<double> Parse() {
    TRY(value, Sum(0));
    if (Skip(); at_ < text_.size()) {
      return Wrong("unexpected \"" + std::string(text_.substr(at_)) + "\"");
    }
    return value;
  }

 private:
  static tl::unexpected<Error> Wrong(std::string what) {
    return Fail(Errc::kUsage, std::move(what));
  }

  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  bool Take(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Result<double> Sum(int depth) {
    if (depth > kMostNested) return Wrong("it is nested too deeply");
    TRY(value, Product(depth));
    while (true) {
      const bool plus = Take("+");
      if (!plus && !Take("-")) return value;
      TRY(other, Product(depth));
      value = plus ? value + other : value - other;
    }
  }

  // Rounded down, as is the remainder's quotient.
  Result<double> Product(int depth) {
    TRY(value, Signed(depth));
    while (true) {
      Skip();
      if (text_.substr(at_).starts_with("**")) return value;
      const bool times = Take("*");
      const bool floors = !times && Take("//");
      const bool divides = !times && !floors && Take("/");
      if (!times && !floors && !divides && !Take("%")) return value;
      TRY(other, Signed(depth));
      if (times) {
        value *= other;
        continue;
      }
      if (other == 0.0) return Wrong("it divides by zero");
      double rest = std::fmod(value, other);
      if (rest != 0.0 && (rest < 0.0) != (other < 0.0)) rest += other;
      value = divides  ? value / other
              : floors ? std::round((value - rest) / other)
                       : rest;
    }
  }

  Result<double> Signed(int depth) {
    if (depth > kMostNested) return Wrong("it is nested too deeply");
    if (Take("-")) {
      TRY(value, Signed(depth + 1));
      return -value;
    }
    if (Take("+")) return Signed(depth + 1);
    TRY(base, Atom(depth));
    if (!Take("**")) return base;
    TRY(exponent, Signed(depth + 1));
    return std::pow(base, exponent);
  }

  Result<double> Atom(int depth) {
    if (Take("(")) {
      TRY(value, Sum(depth + 1));
      if (!Take(")")) return Wrong("a parenthesis is not closed");
      return value;
    }
    Skip();
    const std::size_t begin = at_;
    if (begin < text_.size() && BeginsName(text_[begin])) {
      at_ = EndOfName(text_, begin);
      const std::string name(text_.substr(begin, at_ - begin));
      const auto size = size_(name);
      if (!size) return Wrong("no axis is called " + name);
      return *size;
    }
    std::string_view rest = text_.substr(begin);
    if (rest.empty() || !IsNumeral(rest[0])) rest = {};
    const auto number = TakeNumber<double>(rest);
    if (!number) return Wrong("a name or number is missing");
    at_ = text_.size() - rest.size();
    return *number;
  }

  std::string_view text_;
  Lookup size_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::int64_t> SizeOf(const std::string& expression,
                            const std::map<std::string, std::int64_t>& sizes) {
  const auto known = [&](const std::string& name) -> std::optional<double> {
    const auto size = sizes.find(name);
    if (size == sizes.end()) return std::nullopt;
    return static_cast<double>(size->second);
  };
  TRY(value, Parser(expression, known).Parse());
  if (value != std::floor(value) || !(std::abs(value) < kEndOfIntegers)) {
    return Fail(Errc::kUsage, "its value is no whole number below 2^53");
  }
  return static_cast<std::int64_t>(value);
}

// Nothing is known of a size that is no number.
Result<void> CheckExpression(
    const std::string& expression,
    const std::function<bool(const std::string&)>& is_axis) {
  const auto any = [&](const std::string& name) -> std::optional<double> {
    if (!is_axis(name)) return std::nullopt;
    return std::nan("");
  };
  TRY_DONE(Parser(expression, any).Parse());
  return {};
}

Result<std::string> Substituted(
    const std::string& expression,
    const std::function<Result<std::string>(const std::string&)>& replacement) {
  std::string text = "(";
  for (std::size_t at = 0; at < expression.size();) {
    const std::size_t end =
        BeginsName(expression[at]) ? EndOfName(expression, at) : at + 1;
    const std::string part = expression.substr(at, end - at);
    at = end;
    if (!BeginsName(part[0])) {
      text += part;
      continue;
    }
    TRY(other, replacement(part));
    text += other;
  }
  return text + ")";
}

}  // namespace coppice::eval
