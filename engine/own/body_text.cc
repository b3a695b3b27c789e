#include "engine/own/body_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "agents/catalogue/token.h"

namespace coppice::engine::own {
namespace {

using agents::catalogue::Token;
using agents::catalogue::TokenKind;

// Tokens with the blank text before each.
struct Words {
  std::vector<std::string> blank;
  std::vector<Token> tokens;
};

Words WordsOf(const std::string& text) {
  Words words;
  words.tokens = agents::catalogue::Tokenize(text);
  std::size_t at = 0;
  for (const Token& token : words.tokens) {
    std::size_t found = text.find(token.text, at);
    if (token.kind == TokenKind::kEnd) found = text.size();
    if (found == text.npos) found = at;
    words.blank.push_back(text.substr(at, found - at));
    at = found + token.text.size();
  }
  return words;
}

std::string TextOf(const Words& words, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    text += (i > from ? words.blank[i] : "") + words.tokens[i].text;
  }
  return text;
}

std::size_t Close(const Words& words, std::size_t at) {
  int depth = 0;
  for (; at + 1 < words.tokens.size(); ++at) {
    const std::string& text = words.tokens[at].text;
    if (text == "(" || text == "{" || text == "[") ++depth;
    if (text == ")" || text == "}" || text == "]") --depth;
    if (depth == 0) return at + 1;
  }
  return at;
}

std::size_t StatementEnd(const Words& words, std::size_t at) {
  while (at + 1 < words.tokens.size()) {
    const std::string& text = words.tokens[at].text;
    if (text == "{") return Close(words, at);
    if (text == "for" || text == "while" || text == "if" || text == "switch") {
      at = StatementEnd(words, Close(words, at + 1));
      if (words.tokens[at].text != "else") return at;
      ++at;
      continue;
    }
    if (text == ";") return at + 1;
    at = text == "(" || text == "[" ? Close(words, at) : at + 1;
  }
  return at;
}

bool IsIntegerType(std::string_view word) {
  constexpr std::array<std::string_view, 9> kTypes = {
      "int",   "long",    "size_t",  "unsigned", "register",
      "short", "int64_t", "int32_t", "ptrdiff_t"};
  return std::ranges::find(kTypes, word) != kTypes.end();
}

// Whether the word stands in a statement that declares integers.
bool IsDeclared(const Words& words, std::size_t at) {
  while (at > 0) {
    const std::string& text = words.tokens[at - 1].text;
    if (text == ";" || text == "{" || text == "}") break;
    --at;
  }
  return IsIntegerType(words.tokens[at].text);
}

// Variables of `for (v = ...)` that are seen nowhere else.
std::set<std::string> LoopVariables(const Words& words) {
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> loops;
  const std::vector<Token>& tokens = words.tokens;
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (tokens[i].text != "for" || tokens[i + 3].text != "=") continue;
    if (tokens[i + 2].kind != TokenKind::kName) continue;
    loops[tokens[i + 2].text].push_back(
        {i, StatementEnd(words, Close(words, i + 1))});
  }
  std::set<std::string> names;
  for (const auto& [name, places] : loops) {
    bool is_alone = true;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text != name) continue;
      const bool is_in_loop = std::ranges::any_of(places, [&](auto place) {
        return i >= place.first && i < place.second;
      });
      is_alone &= is_in_loop || IsDeclared(words, i);
    }
    if (is_alone) names.insert(name);
  }
  return names;
}

std::string Flattened(const std::string& body, const Dimensions& arrays);

// From the name at `at` with its subscripts, whose end is left there.
std::string Subscripted(const Words& words, std::size_t& at,
                        const std::vector<std::string>& dims,
                        const Dimensions& arrays) {
  std::string name = words.tokens[at].text;
  std::string index;
  std::size_t next = at + 1;
  std::size_t count = 0;
  while (words.tokens[next].text == "[" && count < dims.size()) {
    const std::size_t end = Close(words, next);
    const std::string one = Flattened(TextOf(words, next + 1, end - 1), arrays);
    if (count > 0) index = "(" + index + ") * (" + dims[count] + ") + ";
    const bool is_plain =
        count == 0 || one.find_first_of("+-?<>|&^=") == one.npos;
    index += is_plain ? one : "(" + one + ")";
    next = end;
    ++count;
  }
  if (count == 0) return name;
  // A row of it.
  std::string rest;
  for (std::size_t i = count; i < dims.size(); ++i)
    rest += " * (" + dims[i] + ")";
  at = next - 1;
  return count == dims.size() ? name + "[" + index + "]"
                              : "(" + name + " + (" + index + ")" + rest + ")";
}

std::string Flattened(const std::string& body, const Dimensions& arrays) {
  const Words words = WordsOf(body);
  std::string text;
  for (std::size_t i = 0; i < words.tokens.size(); ++i) {
    text += words.blank[i];
    const auto array = arrays.find(words.tokens[i].text);
    const bool is_member = i > 0 && (words.tokens[i - 1].text == "." ||
                                     words.tokens[i - 1].text == "->");
    if (array == arrays.end() || is_member) {
      text += words.tokens[i].text;
    } else {
      text += Subscripted(words, i, array->second, arrays);
    }
  }
  return text;
}

}  // namespace

std::string PreparedBody(const std::string& body, const Dimensions& arrays) {
  const Words words = WordsOf(Flattened(body, arrays));
  const std::set<std::string> variables = LoopVariables(words);
  std::string text;
  for (std::size_t i = 0; i < words.tokens.size(); ++i) {
    text += words.blank[i];
    const std::string& word = words.tokens[i].text;
    const bool begins = i > 1 && i + 1 < words.tokens.size() &&
                        words.tokens[i - 2].text == "for" &&
                        words.tokens[i + 1].text == "=" &&
                        variables.contains(word);
    text += begins ? "int " + word : word == "restrict" ? "__restrict__" : word;
  }
  return text;
}

}  // namespace coppice::engine::own
