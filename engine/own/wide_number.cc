#include "engine/own/wide_number.h"

#include <algorithm>
#include <array>

#include "engine/own/source_file.h"

namespace coppice::engine::own {
namespace {

constexpr std::array<std::string_view, 60> kFunctions = {
    "sqrt",  "exp",     "exp2",     "expm1", "log",   "log2",   "log10",
    "log1p", "sin",     "cos",      "tan",   "asin",  "acos",   "atan",
    "sinh",  "cosh",    "tanh",     "erf",   "erfc",  "cbrt",   "floor",
    "ceil",  "trunc",   "round",    "rint",  "pow",   "atan2",  "fmod",
    "hypot", "fabs",    "abs",      "fmax",  "fmin",  "fma",    "isnan",
    "isinf", "signbit", "isfinite", "max",   "min",   "lrint",  "lround",
    "sqrtf", "expf",    "logf",     "sinf",  "cosf",  "tanhf",  "fabsf",
    "fmaxf", "fminf",   "powf",     "log2f", "exp2f", "floorf", "ceilf",
    "tanf",  "atan2f",  "fmodf",    "hypotf"};

constexpr const char* kNumber = R"(#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

// A number that keeps its error.
template <int kBits>
struct Real_ {
  static constexpr double kU = kBits == 24 ? 0x1p-24 : 0x1p-53;
  static constexpr double kH = kBits == 24 ? 0x1p-150 : 0x1p-1074;
  Wide_ v;   // The value.
  double a;  // Of the terms that were added up to it, the sum of magnitudes.
  double g;  // Additions, each times u^2.
  double e;  // The squared error of those terms.

  Real_() = default;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  constexpr Real_(T x)
      : v(kBits == 24 ? Wide_(float(x)) : Wide_(x)), a(double(v < 0 ? -v : v)), g(0),
        e(0) {}
  template <int kOther>
  constexpr Real_(const Real_<kOther>& x) : v(x.v), a(x.a), g(x.g), e(x.e) {
    if (kOther <= kBits) return;
    a = double(v < 0 ? -v : v);
    e = x.Squared() + a * a * kU * kU + kH * kH;
    g = 0;
  }
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  constexpr explicit operator T() const {
    return static_cast<T>(v);
  }
  constexpr double Squared() const { return e + g * a * a; }
  // Of an error that is known, in the place of what it was made of.
  static constexpr Real_ Of(Wide_ value, double squared) {
    Real_ x(0);
    x.v = value;
    x.a = double(value < 0 ? -value : value);
    x.e = squared;
    return x;
  }
  constexpr Real_ operator-() const {
    Real_ x = *this;
    x.v = -v;
    return x;
  }
  constexpr Real_ operator+() const { return *this; }
  Real_& operator++() { return *this = *this + 1; }
  Real_& operator--() { return *this = *this - 1; }
  template <class T> Real_& operator+=(const T& y) { return *this = *this + y; }
  template <class T> Real_& operator-=(const T& y) { return *this = *this - y; }
  template <class T> Real_& operator*=(const T& y) { return *this = *this * y; }
  template <class T> Real_& operator/=(const T& y) { return *this = *this / y; }
};

template <class T> struct Bits_ {
  static constexpr int kBits = std::is_same_v<T, float>     ? 24
                               : std::is_floating_point_v<T> ? 53
                                                             : 0;
  static constexpr bool kIsReal = false;
};
template <int k> struct Bits_<Real_<k>> {
  static constexpr int kBits = k;
  static constexpr bool kIsReal = true;
};
template <class A, class B>
constexpr bool kMixed_ = (Bits_<A>::kIsReal || Bits_<B>::kIsReal) &&
                         (Bits_<A>::kIsReal || std::is_arithmetic_v<A>) &&
                         (Bits_<B>::kIsReal || std::is_arithmetic_v<B>);
template <class A, class B>
using Both_ = std::enable_if_t<
    kMixed_<A, B>, Real_<std::max(Bits_<A>::kBits, Bits_<B>::kBits)>>;

template <class A, class B>
constexpr Both_<A, B> operator+(const A& x, const B& y) {
  using R = Both_<A, B>;
  const R p(x), q(y);
  R z = R::Of(p.v + q.v, p.e + q.e);
  z.a = p.a + q.a;
  z.g = p.g + q.g + R::kU * R::kU;
  return z;
}
template <class A, class B>
constexpr Both_<A, B> operator-(const A& x, const B& y) {
  using R = Both_<A, B>;
  return R(x) + (-R(y));
}
template <class A, class B>
constexpr Both_<A, B> operator*(const A& x, const B& y) {
  using R = Both_<A, B>;
  const R p(x), q(y);
  const Wide_ z = p.v * q.v;
  const double s = p.Squared(), t = q.Squared();
  const double x1 = double(p.v), y1 = double(q.v), z1 = x1 * y1;
  return R::Of(z, s * y1 * y1 + t * x1 * x1 + s * t + z1 * z1 * R::kU * R::kU +
                      R::kH * R::kH);
}
template <class A, class B>
constexpr Both_<A, B> operator/(const A& x, const B& y) {
  using R = Both_<A, B>;
  const R p(x), q(y);
  const Wide_ z = p.v / q.v;
  const double y1 = double(q.v), z1 = double(z);
  return R::Of(z, (p.Squared() + z1 * z1 * q.Squared()) / (y1 * y1) +
                      z1 * z1 * R::kU * R::kU + R::kH * R::kH);
}
#define COMPARE_(op)                                                      \
  template <class A, class B, std::enable_if_t<kMixed_<A, B>, int> = 0>   \
  constexpr bool operator op(const A& x, const B& y) {                    \
    return Both_<A, B>(x).v op Both_<A, B>(y).v;                          \
  }
COMPARE_(<) COMPARE_(>) COMPARE_(<=) COMPARE_(>=) COMPARE_(==) COMPARE_(!=)

// The square of how far f goes when its argument is off by d to either side.
template <class F>
double Carried_(F f, Wide_ x, double d) {
  if (!(d > 0)) return 0;
  const Wide_ y = f(x);
  const double up = double(f(x + d) - y), down = double(f(x - d) - y);
  const double most = std::max(std::isnan(up) ? 0 : std::abs(up),
                               std::isnan(down) ? 0 : std::abs(down));
  return most * most;
}
template <int k, class F>
Real_<k> Unary_(const Real_<k>& x, double units, F f) {
  const Wide_ y = f(x.v);
  const double own = units * double(y) * Real_<k>::kU;
  const double h = units > 0 ? Real_<k>::kH : 0;
  return Real_<k>::Of(
      y, Carried_(f, x.v, std::sqrt(x.Squared())) + own * own + h * h);
}
template <class A, class B, class F>
Both_<A, B> Binary_(const A& x, const B& y, double units, F f) {
  using R = Both_<A, B>;
  const R p(x), q(y);
  const Wide_ z = f(p.v, q.v);
  const double own = units * double(z) * R::kU;
  return R::Of(z, Carried_([&](Wide_ t) { return f(t, q.v); }, p.v,
                           std::sqrt(p.Squared())) +
                      Carried_([&](Wide_ t) { return f(p.v, t); }, q.v,
                               std::sqrt(q.Squared())) +
                      own * own);
}
#define UNARY_(name, units)                                               \
  template <int k> Real_<k> name(const Real_<k>& x) {                     \
    return Unary_(x, units, [](Wide_ t) { return Wide_(std::name(t)); }); \
  }                                                                       \
  template <int k> Real_<k> name##f(const Real_<k>& x) { return name(x); }
UNARY_(sqrt, 1) UNARY_(exp, 4) UNARY_(exp2, 4) UNARY_(expm1, 4) UNARY_(log, 4)
UNARY_(log2, 4) UNARY_(log10, 4) UNARY_(log1p, 4) UNARY_(sin, 4) UNARY_(cos, 4)
UNARY_(tan, 4) UNARY_(asin, 4) UNARY_(acos, 4) UNARY_(atan, 4) UNARY_(sinh, 4)
UNARY_(cosh, 4) UNARY_(tanh, 4) UNARY_(erf, 4) UNARY_(erfc, 4) UNARY_(cbrt, 4)
UNARY_(floor, 0) UNARY_(ceil, 0) UNARY_(trunc, 0) UNARY_(round, 0)
UNARY_(rint, 0)
#define BINARY_(name, units)                                          \
  template <class A, class B> Both_<A, B> name(const A& x, const B& y) { \
    return Binary_(x, y, units,                                       \
                   [](Wide_ s, Wide_ t) { return Wide_(std::name(s, t)); }); \
  }                                                                   \
  template <class A, class B> Both_<A, B> name##f(const A& x, const B& y) { \
    return name(x, y);                                                \
  }
BINARY_(pow, 4) BINARY_(atan2, 4) BINARY_(fmod, 0) BINARY_(hypot, 2)
template <int k> Real_<k> fabs(const Real_<k>& x) { return x.v < 0 ? -x : x; }
template <int k> Real_<k> fabsf(const Real_<k>& x) { return fabs(x); }
template <int k> Real_<k> abs(const Real_<k>& x) { return fabs(x); }
// Of numbers that are nearly equal either may be chosen.
template <class A, class B> Both_<A, B> max(const A& x, const B& y) {
  const Both_<A, B> p(x), q(y);
  const double e = std::max(p.Squared(), q.Squared());
  return Both_<A, B>::Of(p.v < q.v ? q.v : p.v, e);
}
template <class A, class B> Both_<A, B> min(const A& x, const B& y) {
  return -max(-Both_<A, B>(x), -Both_<A, B>(y));
}
template <class A, class B> Both_<A, B> fmax(const A& x, const B& y) {
  return std::isnan(Both_<A, B>(x).v) ? Both_<A, B>(y) : max(x, y);
}
template <class A, class B> Both_<A, B> fmin(const A& x, const B& y) {
  return std::isnan(Both_<A, B>(x).v) ? Both_<A, B>(y) : min(x, y);
}
template <class A, class B> Both_<A, B> fmaxf(const A& x, const B& y) {
  return fmax(x, y);
}
template <class A, class B> Both_<A, B> fminf(const A& x, const B& y) {
  return fmin(x, y);
}
template <class A, class B, class C>
auto fma(const A& x, const B& y, const C& z) -> decltype(x * y + z) {
  return x * y + z;
}
template <int k> bool isnan(const Real_<k>& x) { return std::isnan(x.v); }
template <int k> bool isinf(const Real_<k>& x) { return std::isinf(x.v); }
template <int k> bool isfinite(const Real_<k>& x) { return std::isfinite(x.v); }
template <int k> bool signbit(const Real_<k>& x) { return std::signbit(x.v); }
template <int k> long lrint(const Real_<k>& x) { return std::lrint(x.v); }
template <int k> long lround(const Real_<k>& x) { return std::lround(x.v); }
using std::max;
using std::min;

template <int k> class std::numeric_limits<Real_<k>> {
  using Own = std::numeric_limits<std::conditional_t<k == 24, float, double>>;
 public:
  static constexpr bool is_specialized = true;
  static constexpr Real_<k> min() { return Own::min(); }
  static constexpr Real_<k> max() { return Own::max(); }
  static constexpr Real_<k> lowest() { return Own::lowest(); }
  static constexpr Real_<k> epsilon() { return Own::epsilon(); }
  static constexpr Real_<k> infinity() { return Own::infinity(); }
  static constexpr Real_<k> quiet_NaN() { return Own::quiet_NaN(); }
};

// An array as the kernel has it; null: of zeros.
template <class T, class From>
std::unique_ptr<T[]> Array_(const From* from, std::int64_t count) {
  auto array = std::make_unique<T[]>(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; from != nullptr && i < count; ++i) {
    array[static_cast<std::size_t>(i)] = static_cast<T>(from[i]);
  }
  return array;
}
// A result, and its error in units of u; that of the value given back, too.
template <int k>
void Give_(const Real_<k>& x, double* value, double* magnitude) {
  const double squared = x.Squared();
  *value = static_cast<double>(x.v);
  *magnitude = 0.0;
  if (!std::isfinite(*value) || squared == 0) return;
  *magnitude =
      std::sqrt(squared) / Real_<k>::kU + (k == 53 ? std::abs(*value) : 0);
}
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
void Give_(T x, double* value, double* magnitude) {
  *value = static_cast<double>(x);
  *magnitude = 0.0;
}
)";

}  // namespace

std::string NumberText(bool with_doubles) {
  std::string text = kNumber;
  const std::string_view mark = "// A number that keeps its error.\n";
  return text.insert(text.find(mark),
                     std::string("using Wide_ = ") +
                         (with_doubles ? "long double" : "double") + ";\n\n");
}

std::string WideType(const std::string& c_type) {
  if (c_type == "float") return "Real_<24>";
  if (c_type == "double") return "Real_<53>";
  return c_type;
}

std::string InWideNumbers(std::string_view text) {
  const auto is_function = [](std::string_view name) {
    return std::ranges::find(kFunctions, name) != kFunctions.end();
  };
  return Replaced(text, [&](const TokenView& token, std::string& other) {
    if (token.is_directive) {
      if (!token.text.starts_with("#define")) return false;
      const std::size_t body = std::string_view("#define").size();
      other = "#define" + InWideNumbers(token.text.substr(body));
      return true;
    }
    if (token.text == "float" || token.text == "double") {
      other = WideType(std::string(token.text));
      return true;
    }
    // std::sqrt(x) is what is found by the type of x.
    if (token.text == "std" && token.behind == "::")
      return is_function(token.next);
    return token.text == "::" && token.before == "std" &&
           is_function(token.behind);
  });
}

}  // namespace coppice::engine::own
