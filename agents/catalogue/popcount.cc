#include "agents/catalogue/popcount.h"

#include "agents/catalogue/dependence.h"

namespace coppice::agents::catalogue {
namespace {

struct Bits {
  Expr target;
  Expr word;
  std::int64_t width = 0;
};

// The type that a scalar is declared with, everywhere the same.
std::string TypeOfWord(const Kernel& kernel, const std::string& scalar) {
  std::set<std::string> types;
  VisitStmts(kernel.body, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::kDecl && stmt.name == scalar) {
      types.insert(WithoutConst(stmt.type));
    }
  });
  return types.size() == 1 ? *types.begin() : "";
}

std::optional<Bits> MatchBits(const Stmt& loop, const Kernel& kernel) {
  const StmtList body = WithoutComments(loop.body);
  if (body.size() != 1 || body[0].kind != StmtKind::kExpr ||
      !loop.pragmas.empty() || !CountsFromZero(loop)) {
    return std::nullopt;
  }
  const auto fold = FoldOf(body[0].expr);
  if (fold.empty() || fold[0].op != "+" || body[0].expr.text == "-=") {
    return std::nullopt;
  }
  const Expr& value = fold[0].value;
  if (value.kind != ExprKind::kBinary || value.text != "&" ||
      IntegerValue(value.args[1]) != 1 ||
      value.args[0].kind != ExprKind::kBinary || value.args[0].text != ">>" ||
      !IsName(value.args[0].args[1], loop.name) ||
      value.args[0].args[0].kind != ExprKind::kName) {
    return std::nullopt;
  }
  Bits bits{body[0].expr.args[0], value.args[0].args[0], 0};
  const std::string type = TypeOfWord(kernel, bits.word.text);
  if (type == "int32_t" || type == "uint32_t") bits.width = 32;
  if (type == "int64_t" || type == "uint64_t") bits.width = 64;
  if (bits.width == 0 || IntegerValue(loop.bound) != bits.width ||
      Mentions(bits.target, loop.name) || bits.target == bits.word) {
    return std::nullopt;
  }
  return bits;
}

}  // namespace

bool CountsBits(const Stmt& loop, const Kernel& kernel) {
  return MatchBits(loop, kernel).has_value();
}

Outcome Popcount(const Site& site, const Stmt& loop, const Technique&) {
  const auto bits = MatchBits(loop, site.kernel);
  if (!bits) return NoReason("the loop does not count the bits of a word");
  const char* count =
      bits->width == 32 ? "__builtin_popcount" : "__builtin_popcountll";
  return WithLoop(
      site, loop.name,
      {MakeExpr(Binary("+=", bits->target, Call(count, {bits->word})))});
}

}  // namespace coppice::agents::catalogue
