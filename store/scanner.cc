#include "store/scanner.h"

#include <algorithm>
#include <cctype>

namespace coppice::store {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '$' || byte >= 0x80;
}

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordByte(text[at - 1]);
    if (begins && (end == text.size() || !IsWordByte(text[end]))) return true;
  }
  return false;
}

char Scanner::Peek(std::size_t ahead) const {
  return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
}

bool Scanner::SeesNumber() const {
  return IsDigit(Peek()) || (Peek() == '.' && IsDigit(Peek(1)));
}

void Scanner::Skip(std::size_t bytes) {
  at_ = std::min(at_ + bytes, text_.size());
}

void Scanner::SkipTo(std::string_view what) {
  at_ = std::min(text_.find(what, at_), text_.size());
}

void Scanner::Put(std::string_view token) {
  tokens_ += token;
  tokens_ += '\n';
}

std::string_view Scanner::Take(std::size_t bytes) {
  const std::string_view token = left().substr(0, bytes);
  Put(token);
  Skip(bytes);
  return token;
}

std::string_view Scanner::TakeWord() {
  std::size_t length = 1;
  while (IsWordByte(Peek(length))) ++length;
  return Take(length);
}

void Scanner::TakeNumber(char separator) {
  std::size_t length = 1;
  for (;; ++length) {
    const char c = Peek(length);
    const char before = Peek(length - 1);
    const bool is_exponent =
        before == 'e' || before == 'E' || before == 'p' || before == 'P';
    const bool is_sign = (c == '+' || c == '-') && is_exponent;
    const bool is_separator =
        separator != '\0' && c == separator &&
        std::isalnum(static_cast<unsigned char>(Peek(length + 1))) != 0;
    if (!IsWordByte(c) && c != '.' && !is_sign && !is_separator) break;
  }
  Take(length);
}

std::size_t Scanner::LengthOfQuoted(std::size_t prefix, std::string_view quote,
                                    bool ends_with_line) const {
  const std::string_view text = left();
  for (std::size_t end = prefix + quote.size(); end < text.size(); ++end) {
    if (text[end] == '\\') {
      ++end;
    } else if (text.substr(end).starts_with(quote)) {
      return end + quote.size();
    } else if (ends_with_line && text[end] == '\n') {
      break;
    }
  }
  return std::string_view::npos;
}

}  // namespace coppice::store
