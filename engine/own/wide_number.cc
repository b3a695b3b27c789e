#include "engine/own/wide_number.h"

#include <algorithm>
#include <array>

#include "engine/own/number_template.h"
#include "engine/own/source_file.h"

namespace coppice::engine::own {
namespace {

// Those of floats end in "f".
constexpr auto kFunctions = std::to_array<std::string_view>(
    {"sqrt",  "exp",     "exp2",     "expm1", "log",  "log2",  "log10",
     "log1p", "sin",     "cos",      "tan",   "asin", "acos",  "atan",
     "sinh",  "cosh",    "tanh",     "erf",   "erfc", "cbrt",  "floor",
     "ceil",  "trunc",   "round",    "rint",  "pow",  "atan2", "fmod",
     "hypot", "fabs",    "abs",      "fmax",  "fmin", "fma",   "isnan",
     "isinf", "signbit", "isfinite", "max",   "min",  "lrint", "lround"});

}  // namespace

std::string NumberText(bool with_doubles) {
  std::string text = NumberTemplate();
  const std::string_view mark = "// A number that keeps its error.\n";
  return text.insert(text.find(mark),
                     std::string("using Wide_ = ") +
                         (with_doubles ? "long double" : "double") + ";\n\n");
}

std::string DeviceNumberText() {
  const std::string text = NumberText(false);
  const std::size_t from = text.find("using Wide_");
  const std::size_t to = text.find("// What follows is for a host.");
  return "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include "
         "<type_traits>\n\n" +
         text.substr(from, to - from);
}

std::string WideType(const std::string& c_type) {
  if (c_type == "float") return "Real_<24>";
  if (c_type == "double") return "Real_<53>";
  return c_type;
}

bool IsMathFunction(std::string_view name) {
  const auto is_known = [](std::string_view one) {
    return std::ranges::find(kFunctions, one) != kFunctions.end();
  };
  return is_known(name) ||
         (name.ends_with('f') && is_known(name.substr(0, name.size() - 1)));
}

std::string InWideNumbers(std::string_view text) {
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
      return IsMathFunction(token.next);
    return token.text == "::" && token.before == "std" &&
           IsMathFunction(token.behind);
  });
}

}  // namespace coppice::engine::own
