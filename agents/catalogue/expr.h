// Expressions of a kernel: a plain value tree.
//
// Parentheses are not kept; the printer puts back those that are needed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::agents::catalogue {

enum class ExprKind {
  kNumber,   // text
  kName,     // text, qualified and with template arguments: "std::max<float>"
  kString,   // text
  kUnary,    // text is the prefix operator; args = {operand}
  kPostfix,  // text is "++" or "--"; args = {operand}
  kBinary,   // text is the operator, assignments included; args = {l, r}
  kTernary,  // args = {condition, then, else}
  kCall,     // args = {callee, arguments...}; casts like static_cast<T>(x) too
  kIndex,    // args = {base, subscript}
  kMember,   // text is the member's name; args = {object}
  kCast,     // text is the type of a C-style cast; args = {operand}
  kList,     // {a, b, ...}
};

struct Expr {
  ExprKind kind = ExprKind::kNumber;
  std::string text;
  std::vector<Expr> args;

  bool operator==(const Expr&) const = default;
};

// Builders.  Add, Sub and Mul fold integer literals and drop neutral ones.
Expr Number(std::int64_t value);
Expr Literal(std::string text);
Expr Name(std::string text);
Expr Binary(std::string op, Expr left, Expr right);
Expr Ternary(Expr condition, Expr yes, Expr no);
Expr Call(std::string callee, std::vector<Expr> arguments);
Expr CallMethod(std::string object, std::string method,
                std::vector<Expr> arguments = {});
Expr Index(Expr base, Expr subscript);
Expr Add(Expr left, Expr right);
Expr Sub(Expr left, Expr right);
Expr Mul(Expr left, Expr right);

// The value of an integer literal, in any base, that is an int.
std::optional<std::int64_t> IntegerValue(const Expr& expr);

bool IsName(const Expr& expr, std::string_view name);

// "=", "+=", ...; not "==".
bool IsAssignment(const Expr& expr);

// What an assignment, or `++` or `--`, changes; null if it is neither.
const Expr* ChangedBy(const Expr& expr);

// How tightly an operator with two operands binds: the more, the tighter.  0
// if it is none, or an assignment.
int PrecedenceOf(const std::string& op);

// The called function's name without "std::" and a float suffix ("expf" is
// "exp"), and "max" for all that are one; empty if the callee is no plain name.
std::string CalledFunction(const Expr& expr);

// The array of a[i] or a[i][j], or the name that it is; else empty.
std::string ArrayName(const Expr& index);

// The subscripts of a[i][j], outermost first.
std::vector<Expr> Subscripts(const Expr& index);

// Visits the expression and all it holds, parents first.
void Visit(const Expr& expr, const std::function<void(const Expr&)>& visit);
// Same, and the visitor may replace what it is given; children of the
// replacement are not visited when it returns true.
void Rewrite(Expr& expr, const std::function<bool(Expr&)>& replace);

// Is the expression such, or a part of it?
bool HasPart(const Expr& expr, const std::function<bool(const Expr&)>& is_such);

// A choice of which not all sides need be looked at: a ? b : c, && and ||.
bool Chooses(const Expr& expr);

// The parts of a && b && c, or of another operator's.
std::vector<Expr> PartsOf(const Expr& expr, std::string_view op);

bool Mentions(const Expr& expr, std::string_view name);
bool MentionsAny(const Expr& expr, const std::set<std::string>& names);

// Sums and products of integer literals worked out.
Expr Folded(Expr expr);

Expr Substituted(Expr expr, std::string_view name, const Expr& replacement);
// With `part`, wherever it occurs, by another.
Expr Exchanged(Expr expr, const Expr& part, const Expr& replacement);

}  // namespace coppice::agents::catalogue
