#include "agents/catalogue/kernel.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/parse_expr.h"

namespace coppice::agents::catalogue {
namespace {

using Tokens = std::vector<Token>;

bool Is(const Token& token, std::string_view text) {
  return token.kind != TokenKind::kEnd && token.text == text;
}

// Index of the entry's `extern`, or of the end.
std::size_t FindEntry(const Tokens& tokens) {
  std::size_t at = 0;
  while (tokens[at].kind != TokenKind::kEnd) {
    if (Is(tokens[at], "extern") && Is(tokens[at + 1], "\"C\"") &&
        Is(tokens[at + 2], "void")) {
      return at;
    }
    ++at;
  }
  return at;
}

// The line where the comments right above a function begin.  Those of a launch
// plan (cuda/device_source.h) are of the file.
int FirstLineWithComments(const Tokens& tokens, std::size_t start) {
  int line = tokens[start].line;
  while (start > 0 && tokens[start - 1].kind == TokenKind::kComment &&
         tokens[start - 1].end_line == line - 1 &&
         !tokens[start - 1].text.starts_with("//@")) {
    line = tokens[--start].line;
  }
  return line;
}

// What is behind the bracket that closes each that opens, by its index; the end
// where none closes it.
std::vector<std::size_t> BehindBrackets(const Tokens& tokens) {
  std::vector<std::size_t> behind(tokens.size(), tokens.size() - 1);
  std::vector<std::size_t> open;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (Is(tokens[at], "(") || Is(tokens[at], "{")) open.push_back(at);
    if (open.empty() || (!Is(tokens[at], ")") && !Is(tokens[at], "}"))) {
      continue;
    }
    behind[open.back()] = at + 1;
    open.pop_back();
  }
  return behind;
}

// `float& s` or `float* s` among the parameters from `at` on.
bool TakesChangeable(const Tokens& tokens, std::size_t at, std::size_t end) {
  bool is_const = false;
  for (; at < end; ++at) {
    if (Is(tokens[at], ",")) is_const = false;
    if (Is(tokens[at], "const")) is_const = true;
    if (!is_const && (Is(tokens[at], "&") || Is(tokens[at], "*"))) return true;
  }
  return false;
}

// How many like `static int calls` stand before each token.
std::vector<int> CountStatics(const Tokens& tokens) {
  std::vector<int> before(tokens.size(), 0);
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const bool remembers =
        Is(tokens[at], "static") && !Is(tokens[at + 1], "const") &&
        !Is(tokens[at + 1], "constexpr") && !Is(tokens[at + 1], "thread_local");
    before[at + 1] = before[at] + (remembers ? 1 : 0);
  }
  return before;
}

// The name of a macro that assigns; else empty.
std::string AssigningMacro(const Token& directive) {
  const Tokens words = Tokenize(std::string_view(directive.text).substr(1));
  if (!Is(words[0], "define")) return "";
  const bool assigns =
      std::any_of(words.begin(), words.end(), [](const Token& word) {
        return word.kind == TokenKind::kPunct &&
               (word.text == "++" || word.text == "--" ||
                (word.text.ends_with('=') && PrecedenceOf(word.text) == 0));
      });
  return assigns ? words[1].text : "";
}

// What the file's functions, macros and lambdas may do.
Outside FunctionsIn(const Tokens& tokens) {
  const std::vector<std::size_t> behind = BehindBrackets(tokens);
  const std::vector<int> statics = CountStatics(tokens);
  Outside outside;
  for (std::size_t at = 0; tokens[at].kind != TokenKind::kEnd; ++at) {
    const std::string& name = tokens[at].text;
    if (tokens[at].kind == TokenKind::kDirective) {
      outside.reaching.insert(AssigningMacro(tokens[at]));
    }
    if (tokens[at].kind != TokenKind::kName) continue;
    if (Is(tokens[at + 1], "=") && Is(tokens[at + 2], "[")) {
      outside.reaching.insert(name);
    }
    if (!Is(tokens[at + 1], "(")) continue;
    const std::size_t body = behind[at + 1];
    if (!Is(tokens[body], "{")) continue;
    if (TakesChangeable(tokens, at + 2, body)) outside.changing.insert(name);
    if (statics[behind[body]] > statics[body]) {
      outside.reaching.insert(name);
    }
  }
  return outside;
}

}  // namespace

std::string Param::Element() const {
  const std::string element = WithoutConst(type);
  return element.substr(0, element.find('*'));
}

const Param* Function::FindParam(std::string_view name) const {
  for (const Param& param : params) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

bool Kernel::IsInput(const std::string& array) const {
  const Param* param = FindParam(array);
  return param != nullptr && param->IsPointer() && param->IsInput();
}

std::string Kernel::ElementOf(const std::string& array) const {
  if (const Param* param = FindParam(array)) return param->Element();
  std::string type;
  VisitStmts(body, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::kDecl || stmt.name != array) return;
    type = stmt.type;
    if (const auto vector = type.find("std::vector<");
        vector != std::string::npos) {
      type = type.substr(vector + 12, type.size() - vector - 13);
    }
    type = WithoutConst(type);
    type = type.substr(0, type.find('*'));
  });
  return type;
}

std::string FreshName(const std::string& base,
                      const std::set<std::string>& names,
                      const std::set<std::string>& more) {
  std::string name = base;
  for (int number = 1; names.contains(name) || more.contains(name); ++number) {
    name = base + std::to_string(number);
  }
  return name;
}

std::set<std::string> WholeNumbersOf(const Kernel& kernel) {
  std::set<std::string> names;
  for (const Param& param : kernel.params) {
    if (IsWholeType(param.type)) names.insert(param.name);
  }
  VisitStmts(kernel.body, [&](const Stmt& stmt) {
    if (IsWholeType(stmt.type)) names.insert(stmt.name);
  });
  return names;
}

std::string ReadFunction(const Tokens& tokens, std::size_t start,
                         std::size_t name, const std::string& who,
                         Function& function, Outside outside) {
  function.signature_line = tokens[start].line;
  function.first_line = FirstLineWithComments(tokens, start);
  std::size_t at = name + 1;
  if (at >= tokens.size() || !Is(tokens[at], "(")) {
    return who + " has no parameter list";
  }
  for (++at; !Is(tokens[at], ")");) {
    auto type = ParseType(tokens, at);
    if (!type || tokens[at].kind != TokenKind::kName) {
      return "a parameter of " + who + " has an unknown type";
    }
    function.params.push_back({std::move(*type), tokens[at++].text});
    if (Is(tokens[at], ",")) ++at;
  }
  if (!Is(tokens[++at], "{")) return who + " has no body";
  function.body_line = tokens[at].line;
  for (const Param& param : function.params) {
    if (Wraps(param.type)) outside.wrapping.insert(param.name);
  }
  function.body = ParseStmts(tokens, ++at, std::move(outside));
  if (!Is(tokens[at], "}")) return "the body of " + who + " does not end";
  function.last_line = tokens[at].line;
  return "";
}

tl::expected<Kernel, std::string> ParseKernel(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  const std::size_t entry = FindEntry(tokens);
  if (tokens[entry].kind == TokenKind::kEnd) {
    return tl::unexpected<std::string>("the source has no extern \"C\" entry");
  }
  Kernel kernel;
  kernel.text = text;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::kName) kernel.names.insert(token.text);
  }
  const std::size_t name = entry + 3;  // extern "C" void name
  auto why = ReadFunction(tokens, entry, name, "the entry", kernel,
                          FunctionsIn(tokens));
  if (!why.empty()) return tl::unexpected(std::move(why));
  return kernel;
}

}  // namespace coppice::agents::catalogue
