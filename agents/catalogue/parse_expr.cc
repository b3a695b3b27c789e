#include "agents/catalogue/parse_expr.h"

#include <set>
#include <utility>

namespace coppice::agents::catalogue {
namespace {

using Tokens = std::vector<Token>;

bool IsPunct(const Token& token, const char* text) {
  return token.kind == TokenKind::kPunct && token.text == text;
}

// Words that begin a statement we do not know.
bool IsKeyword(const std::string& word) {
  static const std::set<std::string> kWords = {
      "return", "break", "continue", "goto", "while", "do",
      "switch", "case",  "else",     "for",  "if"};
  return kWords.contains(word);
}

bool IsAssignmentOperator(const Token& token) {
  static const std::set<std::string> kOps = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  return token.kind == TokenKind::kPunct && kOps.contains(token.text);
}

// These bound one expression, so that a tree of it can be walked by recursion.
constexpr int kDeepestExpression = 100;  // Brackets, prefixes, assignments.
constexpr int kMostOperators = 2000;     // And subscripts, calls, members.

class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  bool TooDeep() const { return depth_ > kDeepestExpression; }

 private:
  int& depth_;
};

class ExprParser {
 public:
  ExprParser(const Tokens& tokens, std::size_t& at)
      : tokens_(tokens), at_(at) {}

  std::optional<Expr> Assignment() {
    const Nesting nesting(depth_);
    if (nesting.TooDeep()) return std::nullopt;
    auto left = Conditional();
    if (!left || !IsAssignmentOperator(Here())) return left;
    const std::string op = Take().text;
    auto right = Assignment();
    if (!right) return std::nullopt;
    return Binary(op, std::move(*left), std::move(*right));
  }

 private:
  const Token& Here() {
    while (tokens_[at_].kind == TokenKind::kComment) ++at_;
    return tokens_[at_];
  }
  const Token& Take() {
    Here();
    return tokens_[at_++];
  }
  bool Accept(const char* punct) {
    if (!IsPunct(Here(), punct)) return false;
    ++at_;
    return true;
  }

  std::optional<Expr> Conditional() {
    auto condition = Operators(1);
    if (!condition || !Accept("?")) return condition;
    auto yes = Assignment();
    if (!yes || !Accept(":")) return std::nullopt;
    auto no = Assignment();
    if (!no) return std::nullopt;
    return Ternary(std::move(*condition), std::move(*yes), std::move(*no));
  }

  std::optional<Expr> Operators(int least) {
    auto left = Prefix();
    while (left && Here().kind == TokenKind::kPunct) {
      const int precedence = PrecedenceOf(Here().text);
      if (precedence == 0 || precedence < least) break;
      if (++operators_ > kMostOperators) return std::nullopt;
      const std::string op = Take().text;
      auto right = Operators(precedence + 1);
      if (!right) return std::nullopt;
      left = Binary(op, std::move(*left), std::move(*right));
    }
    return left;
  }

  std::optional<Expr> Prefix() {
    const Nesting nesting(depth_);
    if (nesting.TooDeep()) return std::nullopt;
    static const std::set<std::string> kPrefixes = {"-", "+", "!",  "~",
                                                    "*", "&", "++", "--"};
    if (Here().kind == TokenKind::kPunct && kPrefixes.contains(Here().text)) {
      std::string op = Take().text;
      auto operand = Prefix();
      if (!operand) return std::nullopt;
      return Expr{ExprKind::kUnary, std::move(op), {std::move(*operand)}};
    }
    if (auto type = CStyleCast()) {
      auto operand = Prefix();
      if (!operand) return std::nullopt;
      return Expr{ExprKind::kCast, std::move(*type), {std::move(*operand)}};
    }
    return Postfix(Primary());
  }

  // The type of "(type)".  Nothing else begins so: what follows is read once.
  std::optional<std::string> CStyleCast() {
    const std::size_t start = at_;
    if (Accept("(")) {
      Here();
      if (auto type = ParseType(tokens_, at_); type && Accept(")")) return type;
    }
    at_ = start;
    return std::nullopt;
  }

  std::optional<Expr> Primary() {
    const Token& token = Here();
    if (token.kind == TokenKind::kNumber) return Literal(Take().text);
    if (token.kind == TokenKind::kString) {
      return Expr{ExprKind::kString, Take().text, {}};
    }
    if (token.kind == TokenKind::kName && !IsKeyword(token.text)) {
      const std::size_t start = at_;
      const auto type = ParseType(tokens_, at_);
      if (type && (IsPunct(Here(), "{") || IsPunct(Here(), "("))) {
        return CastTo(*type);
      }
      at_ = start;
      return QualifiedName();
    }
    if (Accept("{")) {
      auto items = Arguments("}");
      if (!items) return std::nullopt;
      return Expr{ExprKind::kList, "{", std::move(*items)};
    }
    if (Accept("(")) {
      auto inner = Assignment();
      if (!inner || !Accept(")")) return std::nullopt;
      return inner;
    }
    return std::nullopt;
  }

  // int64_t{0} and int64_t(0) are static_cast<int64_t>(0).
  std::optional<Expr> CastTo(const std::string& type) {
    const bool braced = IsPunct(Take(), "{");
    auto values = Arguments(braced ? "}" : ")");
    if (!values || (braced && values->size() != 1)) return std::nullopt;
    const bool casts = values->size() == 1;
    return Call(casts ? "static_cast<" + type + ">" : type, std::move(*values));
  }

  std::optional<Expr> QualifiedName() {
    std::string name = Take().text;
    while (true) {
      if (IsPunct(Here(), "::")) {
        ++at_;
        if (Here().kind != TokenKind::kName) return std::nullopt;
        name += "::" + Take().text;
      } else if (IsPunct(Here(), "<") && TakesTypeArguments(name)) {
        ++at_;
        auto type = ParseType(tokens_, at_);
        if (!type || !Accept(">")) return std::nullopt;
        name += "<" + *type + ">";
      } else {
        return Name(std::move(name));
      }
    }
  }

  static bool TakesTypeArguments(const std::string& name) {
    static const std::set<std::string> kTemplates = {
        "static_cast", "reinterpret_cast", "std::numeric_limits", "std::max",
        "std::min"};
    return kTemplates.contains(name);
  }

  std::optional<Expr> Postfix(std::optional<Expr> left) {
    while (left) {
      if (Accept("[")) {
        auto subscript = Assignment();
        if (!subscript || !Accept("]")) return std::nullopt;
        left = Index(std::move(*left), std::move(*subscript));
      } else if (Accept("(")) {
        auto arguments = Arguments(")");
        if (!arguments) return std::nullopt;
        arguments->insert(arguments->begin(), std::move(*left));
        left = Expr{ExprKind::kCall, "", std::move(*arguments)};
      } else if (Accept(".")) {
        if (Here().kind != TokenKind::kName) return std::nullopt;
        left = Expr{ExprKind::kMember, Take().text, {std::move(*left)}};
      } else if (IsPunct(Here(), "++") || IsPunct(Here(), "--")) {
        left = Expr{ExprKind::kPostfix, Take().text, {std::move(*left)}};
      } else {
        break;
      }
      if (++operators_ > kMostOperators) return std::nullopt;
    }
    return left;
  }

  std::optional<std::vector<Expr>> Arguments(const char* close) {
    std::vector<Expr> arguments;
    if (Accept(close)) return arguments;
    do {
      auto argument = Assignment();
      if (!argument) return std::nullopt;
      arguments.push_back(std::move(*argument));
    } while (Accept(","));
    if (!Accept(close)) return std::nullopt;
    return arguments;
  }

  const Tokens& tokens_;
  std::size_t& at_;
  int depth_ = 0;
  int operators_ = 0;
};

bool IsQualifier(const std::string& word) {
  return word == "const" || word == "constexpr" || word == "static" ||
         word == "thread_local" || word == "unsigned" || word == "signed" ||
         word == "inline" || word == "alignas" || word == "__shared__";
}

bool IsTypeName(const std::string& word) {
  static const std::set<std::string> kTypes = {
      "float",     "double",  "int",          "long",     "short",    "char",
      "bool",      "auto",    "void",         "int8_t",   "int16_t",  "int32_t",
      "int64_t",   "uint8_t", "uint16_t",     "uint32_t", "uint64_t", "size_t",
      "ptrdiff_t", "__half",  "__nv_bfloat16"};
  return kTypes.contains(word);
}

bool IsTemplate(const std::string& word) {
  return word == "vector" || word == "array" || word == "unique_ptr";
}

// "<std::vector<float>>" from tokens[at] on; nothing if that is none.
std::optional<std::string> TypeArguments(const Tokens& tokens,
                                         std::size_t& at) {
  if (!IsPunct(tokens[at], "<")) return std::nullopt;
  std::string text;
  int depth = 0;
  do {
    const Token& token = tokens[at];
    if (token.kind == TokenKind::kEnd || IsPunct(token, ";")) {
      return std::nullopt;
    }
    if (token.kind == TokenKind::kName &&
        tokens[at - 1].kind == TokenKind::kName) {
      text += ' ';
    }
    text += token.text;
    if (IsPunct(token, ",")) text += ' ';
    if (IsPunct(token, "<")) ++depth;
    if (IsPunct(token, ">")) --depth;
    if (IsPunct(token, ">>")) depth -= 2;
    ++at;
  } while (depth > 0);
  return depth == 0 ? std::optional(text) : std::nullopt;
}

}  // namespace

std::optional<Expr> ParseExpr(const Tokens& tokens, std::size_t& at) {
  return ExprParser(tokens, at).Assignment();
}

std::optional<std::string> ParseType(const Tokens& tokens, std::size_t& at) {
  std::size_t next = at;
  std::string type;
  bool named = false;
  const auto append = [&](const std::string& word) {
    if (!type.empty() && !type.ends_with("::")) type += ' ';
    type += word;
  };
  while (tokens[next].kind == TokenKind::kName) {
    const std::string& word = tokens[next].text;
    if (word == "std" && IsPunct(tokens[next + 1], "::")) {
      const std::string& inner = tokens[next + 2].text;
      if (named || (!IsTypeName(inner) && !IsTemplate(inner))) break;
      append("std::" + inner);
      next += 3;
      named = true;
      if (IsTemplate(inner)) {
        const auto arguments = TypeArguments(tokens, next);
        if (!arguments) return std::nullopt;
        type += *arguments;
      }
    } else if (word == "alignas") {
      append(word);
      ++next;
      while (tokens[next].kind != TokenKind::kEnd) {
        type += tokens[next].text;
        if (IsPunct(tokens[next++], ")")) break;
      }
    } else if (IsQualifier(word)) {
      named |= word == "unsigned" || word == "signed";
      append(word);
      ++next;
    } else if (IsTypeName(word) && (!named || word == "int" || word == "long" ||
                                    word == "char" || word == "double")) {
      append(word);
      ++next;
      named = true;
    } else {
      break;
    }
  }
  if (!named) return std::nullopt;
  while (IsPunct(tokens[next], "*") || IsPunct(tokens[next], "&") ||
         tokens[next].text == "__restrict__" ||
         tokens[next].text == "__restrict" || tokens[next].text == "const") {
    type += IsPunct(tokens[next], "*") || IsPunct(tokens[next], "&")
                ? tokens[next].text
                : " " + tokens[next].text;
    ++next;
  }
  at = next;
  return type;
}

}  // namespace coppice::agents::catalogue
