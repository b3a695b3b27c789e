#include "engine/own/plain_text.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

#include "agents/catalogue/token.h"

namespace coppice::engine::own {
namespace {

using agents::catalogue::TokenKind;

// What the preprocessor passes on, and we read again.
constexpr std::string_view kKept = "#pragma coppice_kept ";

// A directive's words: "#  if X" is "if X".
std::string DirectiveOf(std::string_view line) {
  const std::size_t mark = line.find_first_not_of(" \t");
  if (mark == line.npos || line[mark] != '#') return "";
  const std::size_t word = line.find_first_not_of(" \t", mark + 1);
  return word == line.npos ? "" : std::string(line.substr(word));
}

// "#define F(x) ...": what follows the name at once is its argument.
bool TakesArguments(const std::string& words) {
  constexpr std::string_view kDefine = "define";
  if (!words.starts_with(kDefine)) return false;
  const std::size_t name = words.find_first_not_of(" \t", kDefine.size());
  if (name == words.npos) return false;
  const std::size_t end = words.find_first_of(" \t(", name);
  return end != words.npos && words[end] == '(';
}

bool NeedsIt(const std::string& text) {
  return std::ranges::any_of(
      agents::catalogue::Tokenize(text), [](const auto& token) {
        if (token.kind != TokenKind::kDirective) return false;
        const std::string words = DirectiveOf(token.text);
        return words.starts_with("if") || words.starts_with("include \"") ||
               TakesArguments(words);
      });
}

// "#define N 100", of which shapes are made by name.
bool NamesNumber(const std::string& words) {
  std::istringstream in(words);
  std::string define, name, value, more;
  in >> define >> name >> value;
  return define == "define" && !value.empty() && !(in >> more) &&
         std::ranges::all_of(
             value, [](unsigned char c) { return std::isdigit(c) != 0; });
}

template <class Line>
std::string OfLines(const std::string& text, const Line& made_of) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    all += made_of(line);
  }
  return all;
}

std::string WithKeptIncludes(const std::string& text) {
  return OfLines(text, [](const std::string& line) {
    const std::string words = DirectiveOf(line);
    const bool is_one =
        words.starts_with("include") && words.find('<') != words.npos;
    return (is_one ? std::string(kKept) + words + "\n" : "") + line + "\n";
  });
}

// The lines of our file among those that the preprocessor told of.
std::string OwnLines(const std::string& told) {
  bool is_own = false;
  return OfLines(told, [&](const std::string& line) -> std::string {
    if (line.starts_with("# ")) {
      is_own = line.find(" \"kernel.cc\"") != line.npos;
      return "";
    }
    return is_own ? line + "\n" : "";
  });
}

std::string WithKeptNumbers(const std::string& text) {
  return OfLines(text, [](const std::string& line) {
    const std::string words = DirectiveOf(line);
    return (NamesNumber(words) ? std::string(kKept) + words : line) + "\n";
  });
}

std::string WithoutMarks(const std::string& text) {
  return OfLines(text, [](const std::string& line) {
    return line.starts_with(kKept) ? "#" + line.substr(kKept.size()) + "\n"
                                   : line + "\n";
  });
}

}  // namespace

Result<std::string> PlainText(const eval::Compiler& compiler,
                              const std::string& text) {
  if (!NeedsIt(text)) return text;
  // Conditions ask for what the system's headers define, so they are read; but
  // their macros are to stay as they are, so they are left out behind that.
  // Some g++ fail on the pragmas of OpenMP when they write them out.
  TRY(decided, compiler.Preprocess(
                   WithKeptIncludes(text),
                   {"-fno-openmp", "-D_OPENMP=201511", "-fdirectives-only"}));
  TRY(expanded, compiler.Preprocess(WithKeptNumbers(OwnLines(decided)),
                                    {"-fno-openmp", "-C"}));
  return WithoutMarks(OwnLines(expanded));
}

}  // namespace coppice::engine::own
