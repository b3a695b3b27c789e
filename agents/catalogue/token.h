// Splits C++ source into tokens that know their line.  Enough for the dialect
// of the kernels: comments and preprocessor lines are tokens of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::agents::catalogue {

enum class TokenKind {
  kName,  // Identifier or keyword.
  kNumber,
  kString,     // Quotes included; also character literals.
  kPunct,      // Longest operator.
  kComment,    // Delimiters included.
  kDirective,  // A whole preprocessor line, without its newline.
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  int line = 1;      // Of its first character, from 1.
  int end_line = 1;  // Of its last.
};

// Never fails: an unknown byte is a kPunct of its own, and an unterminated
// comment or string ends with the text.  The last token is kEnd.
std::vector<Token> Tokenize(std::string_view text);

}  // namespace coppice::agents::catalogue
