#include "agents/catalogue/expr.h"

#include <array>
#include <map>
#include <utility>

#include "store/records/parse_number.h"

namespace coppice::agents::catalogue {
namespace {

// Greater ones may be unsigned, whose sums wrap.
constexpr std::int64_t kMostInt = 2147483647;

// 16 of 0x1F, 2 of 0b101 and 8 of 017, without what says so.
int TakeBase(std::string_view& literal) {
  if (literal.size() < 2 || literal[0] != '0') return 10;
  const bool is_hex = literal[1] == 'x' || literal[1] == 'X';
  const bool is_binary = literal[1] == 'b' || literal[1] == 'B';
  literal.remove_prefix(is_hex || is_binary ? 2 : 0);
  return is_hex ? 16 : is_binary ? 2 : 8;
}

}  // namespace

Expr Number(std::int64_t value) {
  if (value < 0) {
    return {ExprKind::kUnary, "-", {Literal(std::to_string(-value))}};
  }
  return Literal(std::to_string(value));
}

Expr Literal(std::string text) {
  return {ExprKind::kNumber, std::move(text), {}};
}

Expr Name(std::string text) { return {ExprKind::kName, std::move(text), {}}; }

Expr Binary(std::string op, Expr left, Expr right) {
  return {
      ExprKind::kBinary, std::move(op), {std::move(left), std::move(right)}};
}

Expr Ternary(Expr condition, Expr yes, Expr no) {
  return {ExprKind::kTernary,
          "",
          {std::move(condition), std::move(yes), std::move(no)}};
}

Expr Call(std::string callee, std::vector<Expr> arguments) {
  arguments.insert(arguments.begin(), Name(std::move(callee)));
  return {ExprKind::kCall, "", std::move(arguments)};
}

Expr CallMethod(std::string object, std::string method,
                std::vector<Expr> arguments) {
  arguments.insert(
      arguments.begin(),
      {ExprKind::kMember, std::move(method), {Name(std::move(object))}});
  return {ExprKind::kCall, "", std::move(arguments)};
}

Expr Index(Expr base, Expr subscript) {
  return {ExprKind::kIndex, "", {std::move(base), std::move(subscript)}};
}

Expr Add(Expr left, Expr right) {
  const auto l = IntegerValue(left);
  const auto r = IntegerValue(right);
  if (l && r) return Number(*l + *r);
  if (l == 0) return right;
  if (r == 0) return left;
  // (x + 3) + 4 and (x - 3) + 4 stay flat.
  if (r && left.kind == ExprKind::kBinary &&
      (left.text == "+" || left.text == "-")) {
    if (const auto inner = IntegerValue(left.args[1])) {
      const std::int64_t sum = (left.text == "+" ? *inner : -*inner) + *r;
      return Add(left.args[0], Number(sum));
    }
  }
  if (r && *r < 0) return Binary("-", std::move(left), Number(-*r));
  return Binary("+", std::move(left), std::move(right));
}

Expr Sub(Expr left, Expr right) {
  const auto r = IntegerValue(right);
  if (r) return Add(std::move(left), Number(-*r));
  if (left == right) return Number(0);
  return Binary("-", std::move(left), std::move(right));
}

Expr Mul(Expr left, Expr right) {
  const auto l = IntegerValue(left);
  const auto r = IntegerValue(right);
  if (l && r) return Number(*l * *r);
  if (l == 0 || r == 0) return Number(0);
  if (l == 1) return right;
  if (r == 1) return left;
  return Binary("*", std::move(left), std::move(right));
}

std::optional<std::int64_t> IntegerValue(const Expr& expr) {
  if (expr.kind == ExprKind::kUnary && expr.text == "-") {
    const auto value = IntegerValue(expr.args[0]);
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (expr.kind != ExprKind::kNumber) return std::nullopt;
  std::string digits = expr.text;
  std::erase(digits, '\'');
  std::string_view rest = digits;
  const int base = TakeBase(rest);
  const auto value = TakeNumber<std::int64_t>(rest, base);
  const bool is_integer = rest.find_first_not_of("LlUu") == rest.npos;
  return is_integer && value <= kMostInt ? value : std::nullopt;
}

bool IsName(const Expr& expr, std::string_view name) {
  return expr.kind == ExprKind::kName && expr.text == name;
}

bool IsAssignment(const Expr& expr) {
  static const std::set<std::string> kOps = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  return expr.kind == ExprKind::kBinary && kOps.contains(expr.text);
}

const Expr* ChangedBy(const Expr& expr) {
  const bool steps =
      (expr.kind == ExprKind::kUnary || expr.kind == ExprKind::kPostfix) &&
      (expr.text == "++" || expr.text == "--");
  return steps || IsAssignment(expr) ? &expr.args[0] : nullptr;
}

int PrecedenceOf(const std::string& op) {
  static const std::map<std::string, int> kTable = {
      {"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
      {"!=", 7}, {"<", 8},  {">", 8},  {"<=", 8}, {">=", 8}, {"<<", 9},
      {">>", 9}, {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};
  const auto found = kTable.find(op);
  return found == kTable.end() ? 0 : found->second;
}

std::string CalledFunction(const Expr& expr) {
  if (expr.kind != ExprKind::kCall || expr.args[0].kind != ExprKind::kName) {
    return "";
  }
  std::string name = expr.args[0].text;
  if (name.starts_with("std::")) name.erase(0, 5);
  if (const auto angle = name.find('<');
      angle != std::string::npos && !name.starts_with("static_cast")) {
    name.erase(angle);
  }
  static constexpr std::array<std::string_view, 11> kSuffixed = {
      "expf",  "tanhf", "logf",  "sqrtf", "erff", "powf",
      "fmaxf", "fminf", "fabsf", "sinf",  "cosf"};
  for (std::string_view suffixed : kSuffixed) {
    if (name == suffixed) name.pop_back();
  }
  if (name == "fmax" || name == "LaneMax") return "max";
  if (name == "fmin" || name == "LaneMin") return "min";
  return name;
}

std::string ArrayName(const Expr& index) {
  const Expr* base = &index;
  while (base->kind == ExprKind::kIndex) base = &base->args[0];
  return base->kind == ExprKind::kName ? base->text : "";
}

std::vector<Expr> Subscripts(const Expr& index) {
  if (index.kind != ExprKind::kIndex) return {};
  std::vector<Expr> subscripts = Subscripts(index.args[0]);
  subscripts.push_back(index.args[1]);
  return subscripts;
}

void Visit(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const Expr& arg : expr.args) Visit(arg, visit);
}

void Rewrite(Expr& expr, const std::function<bool(Expr&)>& replace) {
  if (replace(expr)) return;
  for (Expr& arg : expr.args) Rewrite(arg, replace);
}

bool HasPart(const Expr& expr,
             const std::function<bool(const Expr&)>& is_such) {
  bool found = false;
  Visit(expr, [&](const Expr& part) { found |= is_such(part); });
  return found;
}

bool Chooses(const Expr& expr) {
  return expr.kind == ExprKind::kTernary || expr.text == "&&" ||
         expr.text == "||";
}

std::vector<Expr> PartsOf(const Expr& expr, std::string_view op) {
  if (expr.kind != ExprKind::kBinary || expr.text != op) return {expr};
  std::vector<Expr> parts = PartsOf(expr.args[0], op);
  for (Expr& part : PartsOf(expr.args[1], op)) parts.push_back(std::move(part));
  return parts;
}

bool Mentions(const Expr& expr, std::string_view name) {
  return HasPart(expr, [&](const Expr& part) { return IsName(part, name); });
}

bool MentionsAny(const Expr& expr, const std::set<std::string>& names) {
  return HasPart(expr, [&](const Expr& part) {
    return part.kind == ExprKind::kName && names.contains(part.text);
  });
}

Expr Folded(Expr expr) {
  for (Expr& arg : expr.args) arg = Folded(std::move(arg));
  if (expr.kind != ExprKind::kBinary ||
      (!IntegerValue(expr.args[0]) && !IntegerValue(expr.args[1]))) {
    return expr;
  }
  if (expr.text == "+") return Add(expr.args[0], expr.args[1]);
  if (expr.text == "-") return Sub(expr.args[0], expr.args[1]);
  if (expr.text == "*") return Mul(expr.args[0], expr.args[1]);
  return expr;
}

Expr Substituted(Expr expr, std::string_view name, const Expr& replacement) {
  return Exchanged(std::move(expr), Name(std::string(name)), replacement);
}

Expr Exchanged(Expr expr, const Expr& part, const Expr& replacement) {
  Rewrite(expr, [&](Expr& e) {
    if (e != part) return false;
    e = replacement;
    return true;
  });
  return expr;
}

}  // namespace coppice::agents::catalogue
