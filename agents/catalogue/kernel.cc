#include "agents/catalogue/kernel.h"

#include <utility>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/parse_expr.h"
#include "agents/catalogue/token.h"

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

// The line where the comments right above the entry begin.
int FirstLineWithComments(const Tokens& tokens, std::size_t entry) {
  int line = tokens[entry].line;
  while (entry > 0 && tokens[entry - 1].kind == TokenKind::kComment &&
         tokens[entry - 1].end_line == line - 1) {
    line = tokens[--entry].line;
  }
  return line;
}

}  // namespace

std::string Param::Element() const {
  std::string element = type;
  if (element.starts_with("const ")) element.erase(0, 6);
  return element.substr(0, element.find('*'));
}

const Param* Kernel::FindParam(std::string_view name) const {
  for (const Param& param : params) {
    if (param.name == name) return &param;
  }
  return nullptr;
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
    if (type.starts_with("const ")) type.erase(0, 6);
    type = type.substr(0, type.find('*'));
  });
  return type;
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

tl::expected<Kernel, std::string> ParseKernel(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  std::size_t at = FindEntry(tokens);
  if (tokens[at].kind == TokenKind::kEnd) {
    return tl::unexpected<std::string>("the source has no extern \"C\" entry");
  }
  Kernel kernel;
  kernel.text = text;
  kernel.first_line = FirstLineWithComments(tokens, at);
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::kName) kernel.names.insert(token.text);
  }
  at += 4;  // extern "C" void name
  if (at >= tokens.size() || !Is(tokens[at], "(")) {
    return tl::unexpected<std::string>("the entry has no parameter list");
  }
  for (++at; !Is(tokens[at], ")");) {
    auto type = ParseType(tokens, at);
    if (!type || tokens[at].kind != TokenKind::kName) {
      return tl::unexpected<std::string>("a parameter has an unknown type");
    }
    kernel.params.push_back({std::move(*type), tokens[at++].text});
    if (Is(tokens[at], ",")) ++at;
  }
  if (!Is(tokens[++at], "{")) {
    return tl::unexpected<std::string>("the entry has no body");
  }
  kernel.body_line = tokens[at].line;
  kernel.body = ParseStmts(tokens, ++at);
  if (!Is(tokens[at], "}")) {
    return tl::unexpected<std::string>("the entry's body does not end");
  }
  kernel.last_line = tokens[at].line;
  return kernel;
}

std::string WithLines(std::string_view text, int first, int last,
                      std::string_view lines) {
  std::string result;
  std::size_t at = 0;
  for (int line = 1; at < text.size(); ++line) {
    const std::size_t newline = text.find('\n', at);
    const std::size_t end =
        newline == std::string_view::npos ? text.size() : newline + 1;
    if (line == first) result += lines;
    if (line < first || line > last) result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

}  // namespace coppice::agents::catalogue
