#include "agents/catalogue/token.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace coppice::agents::catalogue {
namespace {

// Longest first, so that the first match is the right one.
constexpr std::array<std::string_view, 26> kOperators = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=",
    ">=",  "==",  "!=",  "&&", "||", "+=", "-=", "*=", "/=",
    "%=",  "&=",  "|=",  "^=", "::", "##", "<%", "%>"};

bool IsNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool IsDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<Token> Run() {
    for (SkipBlanks(); at_ < text_.size(); SkipBlanks()) Next();
    Emit(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void SkipBlanks() {
    while (at_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      if (text_[at_] == '\n') {
        ++line_;
        line_is_blank_ = true;
      }
      ++at_;
    }
  }

  void Emit(TokenKind kind, std::size_t length) {
    length = std::min(length, text_.size() - at_);
    Token token{kind, std::string(text_.substr(at_, length)), line_, line_};
    line_ += static_cast<int>(
        std::count(token.text.begin(), token.text.end(), '\n'));
    token.end_line = line_;
    at_ += length;
    line_is_blank_ = false;
    tokens_.push_back(std::move(token));
  }

  // Length up to and including `end`, or to the end of the text.
  std::size_t LengthThrough(std::string_view end, std::size_t from) const {
    const std::size_t found = text_.find(end, at_ + from);
    return found == std::string_view::npos ? text_.size() - at_
                                           : found + end.size() - at_;
  }

  std::size_t LengthOfLine() const {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n') {
      if (text_[end] == '\\' && end + 1 < text_.size()) ++end;
      ++end;
    }
    return end - at_;
  }

  std::size_t LengthOfQuoted(char quote) const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) {
      end += text_[end] == '\\' ? 2 : 1;
    }
    return end + 1 - at_;
  }

  std::size_t LengthOfNumber() const {
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const char before = end > at_ ? text_[end - 1] : '\0';
      const bool hex = text_.substr(at_, 2) == "0x";
      const std::string_view exponents = hex ? "pP" : "eE";
      const bool exponent_sign =
          (c == '+' || c == '-') && exponents.find(before) != exponents.npos;
      if (!IsNamePart(c) && c != '.' && c != '\'' && !exponent_sign) break;
      ++end;
    }
    return end - at_;
  }

  void Next() {
    const char c = Peek();
    if (c == '#' && line_is_blank_) {
      Emit(TokenKind::kDirective, LengthOfLine());
    } else if (c == '/' && Peek(1) == '/') {
      Emit(TokenKind::kComment, LengthOfLine());
    } else if (c == '/' && Peek(1) == '*') {
      Emit(TokenKind::kComment, LengthThrough("*/", 2));
    } else if (c == '"' || c == '\'') {
      Emit(TokenKind::kString, LengthOfQuoted(c));
    } else if (IsNameStart(c)) {
      std::size_t length = 1;
      while (IsNamePart(Peek(length))) ++length;
      Emit(TokenKind::kName, length);
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      Emit(TokenKind::kNumber, LengthOfNumber());
    } else {
      Emit(TokenKind::kPunct, LengthOfOperator());
    }
  }

  std::size_t LengthOfOperator() const {
    for (std::string_view op : kOperators) {
      if (text_.substr(at_, op.size()) == op) return op.size();
    }
    return 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_is_blank_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> Tokenize(std::string_view text) {
  return Tokenizer(text).Run();
}

}  // namespace coppice::agents::catalogue
