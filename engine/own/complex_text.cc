#include "engine/own/complex_text.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/catalogue/token.h"
#include "engine/own/source_file.h"

namespace coppice::engine::own {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 16>
    kFunctionsOfC = {{{"creal", "std::real"},
                      {"cimag", "std::imag"},
                      {"cabs", "std::abs"},
                      {"carg", "std::arg"},
                      {"conj", "std::conj"},
                      {"cexp", "std::exp"},
                      {"clog", "std::log"},
                      {"cpow", "std::pow"},
                      {"csqrt", "std::sqrt"},
                      {"csin", "std::sin"},
                      {"ccos", "std::cos"},
                      {"ctan", "std::tan"},
                      {"csinh", "std::sinh"},
                      {"ccosh", "std::cosh"},
                      {"ctanh", "std::tanh"},
                      {"cproj", "std::proj"}}};

std::string FunctionOfC(std::string_view name) {
  for (const auto& [of_c, of_cpp] : kFunctionsOfC) {
    if (name == of_c || (name.size() == of_c.size() + 1 &&
                         name.starts_with(of_c) && name.back() == 'f')) {
      return std::string(of_cpp);
    }
  }
  return "";
}

struct Spelling {
  std::vector<std::string_view> words;
  const char* name;
};

std::vector<Spelling> Spellings() {
  std::vector<Spelling> all;
  for (const auto& [type, name] : {std::pair{"float", kComplexFloat},
                                   std::pair{"double", kComplexDouble}}) {
    all.push_back({{"std", "::", "complex", "<", type, ">"}, name});
    all.push_back({{"complex", "<", type, ">"}, name});
    for (const char* complex : {"complex", "_Complex"}) {
      all.push_back({{type, complex}, name});
      all.push_back({{complex, type}, name});
    }
  }
  return all;
}

// Each spelling, wherever its words follow each other.
std::string WithNames(const std::string& text) {
  static const std::vector<Spelling> kAll = Spellings();
  const auto tokens = agents::catalogue::Tokenize(text);
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text.empty()) continue;
    const std::size_t begin = text.find(tokens[i].text, at);
    if (begin == text.npos) continue;
    const Spelling* found = nullptr;
    for (const Spelling& one : kAll) {
      bool is_it = i + one.words.size() <= tokens.size();
      for (std::size_t k = 0; is_it && k < one.words.size(); ++k) {
        is_it = tokens[i + k].text == one.words[k];
      }
      if (is_it && found == nullptr) found = &one;
    }
    result += text.substr(at, begin - at);
    at = begin;
    if (found == nullptr) {
      result += tokens[i].text;
      at += tokens[i].text.size();
      continue;
    }
    result += found->name;
    for (std::size_t k = 0; k < found->words.size(); ++k) {
      const std::string& word = tokens[i + k].text;
      at = text.find(word, at) + word.size();
    }
    i += found->words.size() - 1;
  }
  return result + text.substr(at);
}

}  // namespace

std::string WithNamedComplex(const std::string& text) {
  if (text.find("omplex") == text.npos) return text;
  std::string named = WithNames(text);
  const bool is_of_c = text.find("<complex.h>") != text.npos;
  if (!is_of_c) return named;
  const bool has_double = named.find(kComplexDouble) != named.npos;
  const std::string unit =
      std::string(has_double ? kComplexDouble : kComplexFloat) + "(0, 1)";
  return Replaced(named, [&](const TokenView& token, std::string& other) {
    if (token.is_directive) {
      const std::size_t at = token.text.find("<complex.h>");
      if (at == token.text.npos) return false;
      other = "#include <complex>";
      return true;
    }
    if (token.text == "I" || token.text == "_Complex_I") {
      other = unit;
      return true;
    }
    if (token.behind != "(") return false;
    other = FunctionOfC(token.text);
    return !other.empty();
  });
}

bool NamesComplex(const std::string& text) {
  return text.find(kComplexFloat) != text.npos ||
         text.find(kComplexDouble) != text.npos;
}

std::string ComplexNames() {
  std::string text =
      "using ComplexFloat = std::complex<float>;\n"
      "using ComplexDouble = std::complex<double>;\n";
  for (const char* op : {"+", "-", "*", "/"}) {
    const std::string head =
        "template <class A, class T, std::enable_if_t<std::is_arithmetic_v<A> "
        "&& !std::is_same_v<A, T>, int> = 0>\nstd::complex<T> operator" +
        std::string(op);
    text += head + "(A a, const std::complex<T>& z) { return T(a) " + op +
            " z; }\n" + head + "(const std::complex<T>& z, A a) { return z " +
            op + " T(a); }\n";
  }
  return text;
}

std::string WithoutComplex(const std::string& body) {
  return Replaced(body, [](const TokenView& token, std::string& other) {
    if (token.text != kComplexFloat && token.text != kComplexDouble) {
      return false;
    }
    other = token.behind == "(" ? "complex_of" : "float";
    return true;
  });
}

}  // namespace coppice::engine::own
