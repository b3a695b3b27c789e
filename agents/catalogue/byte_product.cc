// byte_product(i): a product of two matrices of 8-bit integers, summed in 32
// bits, by the processor's instruction for that, which multiplies bytes in
// groups of four.  byte_product(i, threads) shares the rows among threads.
//
//   for i { for j { for k { sum += A[i * K + k] * B[k * N + j]; } ... sum } }
// becomes
//   ProductOfBytes(A, ..., products);
//   for i { for j { sum += products[i * N + j]; ... sum } }
// Sums wrap as 32 bits do, so the result is exact.
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/range.h"

namespace coppice::agents::catalogue {
namespace {

// The instruction takes a's bytes as unsigned: with 128 added to each, which
// adds 128 times the sum of b's column to each result.
constexpr std::string_view kProductOfBytes =
    R"(static inline void ProductOfBytes(const int8_t* a, int64_t a_row,
                                  const int8_t* b, int64_t b_row,
                                  int64_t b_column, int32_t* c, int64_t rows,
                                  int64_t columns, int64_t depth,
                                  bool threads) {
#if defined(__AVX512VNNI__)
  constexpr int64_t kRows = 6;
  const int64_t steps = (depth + 3) / 4;
  const int64_t strips = (columns + 63) / 64;
  static thread_local std::vector<int8_t> packed;
  static thread_local std::vector<uint8_t> raised;
  static thread_local std::vector<int32_t> sums;
  packed.assign(strips * steps * 256, 0);
  raised.assign((rows + kRows) * steps * 4, 0);
  sums.assign(strips * 64, 0);
  int8_t* const pack = packed.data();
  uint8_t* const raise = raised.data();
  int32_t* const sum = sums.data();
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t j = 0; j < columns; ++j) {
      const int8_t value = b[k * b_row + j * b_column];
      pack[((j / 64) * steps + k / 4) * 256 + (j % 64) * 4 + k % 4] = value;
      sum[j] += value;
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < depth; ++k) {
      raise[i * steps * 4 + k] = static_cast<uint8_t>(a[i * a_row + k] + 128);
    }
  }
#pragma omp parallel for collapse(2) if (threads)
  for (int64_t strip = 0; strip < strips; ++strip) {
    for (int64_t i = 0; i < rows; i += kRows) {
      __m512i part[kRows][4] = {};
      for (int64_t k = 0; k < steps; ++k) {
        const int8_t* from = pack + (strip * steps + k) * 256;
        __m512i four[4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) four[v] = _mm512_loadu_si512(from + v * 64);
#pragma GCC unroll 6
        for (int64_t r = 0; r < kRows; ++r) {
          int32_t group;
          __builtin_memcpy(&group, raise + ((i + r) * steps + k) * 4, 4);
          const __m512i all = _mm512_set1_epi32(group);
#pragma GCC unroll 4
          for (int v = 0; v < 4; ++v) {
            part[r][v] = _mm512_dpbusd_epi32(part[r][v], all, four[v]);
          }
        }
      }
#pragma GCC unroll 6
      for (int64_t r = 0; r < kRows; ++r) {
        if (i + r >= rows) break;
        int32_t line[64];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
          _mm512_storeu_si512(line + v * 16, part[r][v]);
        }
        const int64_t left = columns - strip * 64;
        for (int64_t j = 0; j < (left < 64 ? left : 64); ++j) {
          c[(i + r) * columns + strip * 64 + j] =
              line[j] - 128 * sum[strip * 64 + j];
        }
      }
    }
  }
#else
#pragma omp parallel for if (threads)
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) c[i * columns + j] = 0;
    for (int64_t k = 0; k < depth; ++k) {
      const int32_t value = a[i * a_row + k];
      for (int64_t j = 0; j < columns; ++j) {
        c[i * columns + j] += value * b[k * b_row + j * b_column];
      }
    }
  }
#endif
}
)";

struct BytesMatch {
  const Stmt *i = nullptr, *j = nullptr, *k = nullptr;
  Expr sum;
  Expr a, b;  // Arrays.
  Expr a_row, b_row, b_column;
};

// x of x, static_cast<int32_t>(x) and (int)x.
const Expr& Uncast(const Expr& expr) {
  if (expr.kind == ExprKind::kCast && expr.text.find("int") == 0) {
    return Uncast(expr.args[0]);
  }
  const std::string called = CalledFunction(expr);
  if ((called == "static_cast<int32_t>" || called == "static_cast<int>") &&
      expr.args.size() == 2) {
    return Uncast(expr.args[1]);
  }
  return expr;
}

bool IsFullRange(const Stmt& loop, const std::set<std::string>& variables) {
  return CountsFromZero(loop) && loop.pragmas.empty() &&
         !MentionsAny(loop.bound, variables);
}

// slope * variable, with what is left of the polynomial behind it.
std::optional<Affine> PlainSlope(const Poly& poly, const std::string& name) {
  auto split = SplitBy(poly, name);
  const bool is_plain =
      split && !split->slope.IsZero() && HasPlainNames(split->slope);
  return is_plain ? std::move(split) : std::nullopt;
}

std::optional<BytesMatch> MatchBytes(const Site& site, const Stmt& i) {
  BytesMatch match;
  match.i = &i;
  for (const Stmt& stmt : i.body) {
    if (stmt.kind == StmtKind::kFor && match.j == nullptr) match.j = &stmt;
  }
  if (match.j == nullptr) return std::nullopt;
  for (const Stmt& stmt : match.j->body) {
    if (stmt.kind == StmtKind::kFor && match.k == nullptr) match.k = &stmt;
  }
  if (match.k == nullptr || match.k->body.size() != 1 ||
      match.k->body[0].kind != StmtKind::kExpr) {
    return std::nullopt;
  }
  const std::set<std::string> variables = {i.name, match.j->name,
                                           match.k->name};
  for (const Stmt* loop : {match.i, match.j, match.k}) {
    if (!IsFullRange(*loop, variables)) return std::nullopt;
  }
  const auto fold = FoldOf(match.k->body[0].expr);
  const Expr& target = match.k->body[0].expr.args[0];
  if (fold.empty() || fold[0].op != "+" || match.k->body[0].expr.text == "-=" ||
      target.kind != ExprKind::kName ||
      site.kernel.ElementOf(target.text) != "int32_t") {
    return std::nullopt;
  }
  match.sum = target;
  const Expr& value = Uncast(fold[0].value);
  if (value.kind != ExprKind::kBinary || value.text != "*") return std::nullopt;
  std::vector<Expr> loads = {Uncast(value.args[0]), Uncast(value.args[1])};
  for (const Expr& load : loads) {
    if (load.kind != ExprKind::kIndex || load.args[0].kind != ExprKind::kName) {
      return std::nullopt;
    }
    const std::string& array = load.args[0].text;
    if (!site.kernel.IsInput(array) ||
        site.kernel.ElementOf(array) != "int8_t") {
      return std::nullopt;
    }
  }
  if (!ToPoly(loads[0].args[1], site.definitions).Mentions(i.name)) {
    std::swap(loads[0], loads[1]);
  }
  const Poly at_a = ToPoly(loads[0].args[1], site.definitions);
  const Poly at_b = ToPoly(loads[1].args[1], site.definitions);
  const auto a_k = PlainSlope(at_a, match.k->name);
  const auto b_k = PlainSlope(at_b, match.k->name);
  if (!a_k || !b_k || a_k->slope.Constant() != 1) return std::nullopt;
  const auto a_i = PlainSlope(a_k->rest, i.name);
  const auto b_j = PlainSlope(b_k->rest, match.j->name);
  if (!a_i || !b_j || !a_i->rest.IsZero() || !b_j->rest.IsZero()) {
    return std::nullopt;
  }
  match.a = loads[0].args[0];
  match.b = loads[1].args[0];
  match.a_row = ToExpr(a_i->slope);
  match.b_row = ToExpr(b_k->slope);
  match.b_column = ToExpr(b_j->slope);
  return match;
}

}  // namespace

Outcome ByteProduct(const Site& site, const Stmt& loop,
                    const Technique& technique) {
  const auto match = MatchBytes(site, loop);
  if (!match) return NoReason("the nest is no product of 8-bit integers");
  const bool threads = technique.Arg(1) == "threads";
  if (threads && site.setting.threads < 2) {
    return NoReason("there is only one thread");
  }
  const std::string products = site.Fresh("products");
  Stmt nest = loop;
  const Expr element = Index(
      Name(products),
      Add(Mul(Name(match->i->name), match->j->bound), Name(match->j->name)));
  StmtList made = {
      MakeVector("int32_t", products, {Mul(match->i->bound, match->j->bound)}),
      MakeExpr(
          Call("ProductOfBytes",
               {match->a, match->a_row, match->b, match->b_row, match->b_column,
                CallMethod(products, "data"), match->i->bound, match->j->bound,
                match->k->bound, Name(threads ? "true" : "false")}))};
  ReplaceLoop(nest.body, match->k->name,
              {MakeExpr(Binary("+=", match->sum, element))});
  made.push_back(std::move(nest));
  return WithLoop(site, loop.name, std::move(made),
                  {std::string(kProductOfBytes)});
}

}  // namespace coppice::agents::catalogue
