// A text that is cut into tokens from left to right.  Private to this folder.
#pragma once

#include <string>
#include <string_view>

namespace coppice::store {

bool IsDigit(char c);
// Letters of other alphabets are bytes above 127, and GCC takes $ for one.
bool IsWordByte(char c);

// Whether it has the word by itself, not in a longer one.
bool HasWord(std::string_view text, std::string_view word);

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(std::size_t ahead = 0) const;
  bool Sees(std::string_view what) const { return left().starts_with(what); }
  bool SeesNumber() const;
  bool SeesQuote() const { return Peek() == '"' || Peek() == '\''; }
  std::string_view left() const { return text_.substr(at_); }

  void Skip(std::size_t bytes);
  void SkipTo(std::string_view what);

  void Put(std::string_view token);
  std::string_view Take(std::size_t bytes);
  std::string_view TakeWord();
  // Digits, with an exponent's sign, a decimal point, and `separator` between
  // them; 0: none.
  void TakeNumber(char separator);

  // From its prefix to its end; npos if it has none, or none on its line.  A
  // backslash keeps the next character from ending it.
  std::size_t LengthOfQuoted(std::size_t prefix, std::string_view quote,
                             bool ends_with_line) const;

  std::string MoveTokens() { return std::move(tokens_); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string tokens_;  // Each ended by a line feed.
};

}  // namespace coppice::store
