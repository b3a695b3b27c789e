#include "store/kernel_hash.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "store/digest.h"

namespace coppice::store {
namespace {

constexpr std::string_view kPlanMark = "//@";

bool IsSpace(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// Letters of other alphabets are bytes above 127.
bool IsWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

// The tokens found so far, and the text that is left.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool Sees(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }
  std::string_view left() const { return text_.substr(at_); }
  void Skip(std::size_t bytes) { at_ = std::min(at_ + bytes, text_.size()); }
  void SkipTo(std::string_view what) {
    at_ = std::min(text_.find(what, at_), text_.size());
  }

  void Put(std::string_view token) { tokens_ += std::string(token) + '\n'; }
  void Take(std::size_t bytes) {
    Put(text_.substr(at_, bytes));
    Skip(bytes);
  }
  void TakeWord() {
    std::size_t length = 1;
    while (IsWord(Peek(length))) ++length;
    Take(length);
  }
  // Digits, with an exponent's sign and a decimal point.
  void TakeNumber() {
    std::size_t length = 1;
    for (;;) {
      const char c = Peek(length);
      const char before = static_cast<char>(
          std::tolower(static_cast<unsigned char>(Peek(length - 1))));
      const bool is_sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'p');
      const bool is_mark = c == '.' || (c == '\'' && IsWord(Peek(length + 1)));
      if (!IsWord(c) && !is_sign && !is_mark) break;
      ++length;
    }
    Take(length);
  }
  // To its end on the same line, or to that of the text.
  void TakeQuoted(std::size_t prefix, std::string_view quote,
                  bool has_escapes) {
    std::size_t end = prefix + quote.size();
    while (at_ + end < text_.size()) {
      if (has_escapes && Peek(end) == '\\') {
        end += 2;
        continue;
      }
      if (text_.substr(at_ + end).starts_with(quote)) {
        end += quote.size();
        break;
      }
      ++end;
    }
    Take(std::min(end, text_.size() - at_));
  }

  std::string MoveTokens() { return std::move(tokens_); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string tokens_;
};

bool SeesItsLayout(std::string_view source) {
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"__LINE__", "source_location",
                                      "__builtin_LINE"},
      [&](std::string_view name) { return source.find(name) != source.npos; });
}

// Longest first.
constexpr std::array<std::string_view, 29> kPunctuators = {
    "<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++",
    "--",  "<<",  ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=",
    "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "##", ".*"};

std::size_t PunctuatorAt(const Scanner& scanner) {
  for (const std::string_view each : kPunctuators) {
    if (scanner.Sees(each)) return each.size();
  }
  return 1;
}

// The length of the prefix of a literal that begins here: u8R"..., L'.'.
std::size_t LiteralPrefix(const Scanner& scanner) {
  for (const std::string_view prefix :
       {"u8R", "uR", "UR", "LR", "R", "u8", "u", "U", "L", ""}) {
    if (!scanner.Sees(prefix)) continue;
    const char quote = scanner.Peek(prefix.size());
    if (quote == '"' || (quote == '\'' && !prefix.ends_with('R'))) {
      return prefix.size();
    }
  }
  return std::string_view::npos;
}

void TakeLiteral(Scanner& scanner, std::size_t prefix) {
  const std::string_view left = scanner.left();
  const char quote = left[prefix];
  if (prefix == 0 || left[prefix - 1] != 'R') {
    scanner.TakeQuoted(prefix, std::string(1, quote), true);
    return;
  }
  const std::size_t open = left.find('(', prefix);
  const std::string close =
      open == left.npos
          ? std::string("\"")
          : ")" + std::string(left.substr(prefix + 1, open - prefix - 1)) +
                "\"";
  const std::size_t end = left.find(close, prefix + 1);
  scanner.Take(end == left.npos ? left.size() : end + close.size());
}

// Lines that end in a backslash go on in the next.
std::string Spliced(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') continue;
    if (source[i] == '\\' && source.substr(i + 1).starts_with("\n")) {
      ++i;
      continue;
    }
    text += source[i];
  }
  return text;
}

// As C++ has them.  A directive ends with its line, which is a token.
std::string TokensOfC(std::string_view source) {
  if (SeesItsLayout(source)) return std::string(source);
  const std::string text = Spliced(source);
  Scanner scanner(text);
  bool at_line_start = true;
  bool in_directive = false;
  while (!scanner.AtEnd()) {
    const char c = scanner.Peek();
    if (c == '\n') {
      if (in_directive) scanner.Put("end of line");
      in_directive = false;
      at_line_start = true;
      scanner.Skip(1);
      continue;
    }
    if (IsSpace(c)) {
      scanner.Skip(1);
      continue;
    }
    if (scanner.Sees("//")) {
      const std::string_view line =
          scanner.left().substr(0, scanner.left().find('\n'));
      if (line.starts_with(kPlanMark)) scanner.Put(line);
      scanner.SkipTo("\n");
      continue;
    }
    if (scanner.Sees("/*")) {
      const std::size_t end = scanner.left().find("*/", 2);
      const std::string_view comment = scanner.left().substr(0, end);
      if (comment.find(kPlanMark) != comment.npos) scanner.Put(comment);
      scanner.Skip(end == std::string_view::npos ? text.size() : end + 2);
      continue;
    }
    if (c == '#' && at_line_start) {
      in_directive = true;
    } else if (c == '#' && in_directive && !scanner.Sees("##")) {
      return std::string(source);  // Makes a string of how its argument looks.
    }
    at_line_start = false;
    const std::size_t literal = LiteralPrefix(scanner);
    if (literal != std::string_view::npos) {
      TakeLiteral(scanner, literal);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && std::isdigit(static_cast<unsigned char>(
                                scanner.Peek(1))) != 0)) {
      scanner.TakeNumber();
    } else if (IsWord(c)) {
      scanner.TakeWord();
    } else {
      scanner.Take(PunctuatorAt(scanner));
    }
  }
  return scanner.MoveTokens();
}

// Length of the letters before a quote: r"...", Rb'''...
std::size_t PythonPrefix(const Scanner& scanner) {
  std::size_t length = 0;
  while (length < 2 &&
         std::string_view("rRbBfFuU").find(scanner.Peek(length)) !=
             std::string_view::npos &&
         scanner.Peek(length) != '\0') {
    ++length;
  }
  const char quote = scanner.Peek(length);
  return quote == '"' || quote == '\'' ? length : std::string_view::npos;
}

// How deep the next line that holds a token is indented; the empty lines and
// comments before it are skipped.
std::size_t Indentation(Scanner& scanner) {
  std::size_t column = 0;
  while (!scanner.AtEnd()) {
    const char c = scanner.Peek();
    if (c == ' ') {
      ++column;
    } else if (c == '\t') {
      column = column / 8 * 8 + 8;
    } else if (c == '\n' || c == '\r' || c == '\f') {
      column = 0;
    } else if (c == '#') {
      scanner.SkipTo("\n");
      continue;
    } else {
      break;
    }
    scanner.Skip(1);
  }
  return column;
}

// As Python has them.  Blocks are told by how deep they are nested.
std::string TokensOfPython(std::string_view source) {
  Scanner scanner(source);
  std::vector<std::size_t> blocks = {0};
  std::size_t brackets = 0;
  const auto begin_line = [&] {
    const std::size_t column = Indentation(scanner);
    if (scanner.AtEnd()) return;
    if (column > blocks.back()) {
      blocks.push_back(column);
      scanner.Put("indent");
    }
    while (column < blocks.back()) {
      blocks.pop_back();
      scanner.Put("dedent");
    }
  };
  begin_line();
  while (!scanner.AtEnd()) {
    const char c = scanner.Peek();
    if (c == '\n') {
      scanner.Skip(1);
      if (brackets > 0) continue;
      scanner.Put("end of line");
      begin_line();
    } else if (c == '\\' && scanner.Peek(1) == '\n') {
      scanner.Skip(2);
    } else if (IsSpace(c)) {
      scanner.Skip(1);
    } else if (c == '#') {
      scanner.SkipTo("\n");
    } else if (const std::size_t prefix = PythonPrefix(scanner);
               prefix != std::string_view::npos) {
      const std::string one(1, scanner.Peek(prefix));
      const std::string three = one + one + one;
      const bool is_long = scanner.left().substr(prefix).starts_with(three);
      // A backslash keeps a quote from ending a raw string, too.
      scanner.TakeQuoted(prefix, is_long ? three : one, true);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      scanner.TakeNumber();
    } else if (IsWord(c)) {
      scanner.TakeWord();
    } else {
      if (c == '(' || c == '[' || c == '{') ++brackets;
      if ((c == ')' || c == ']' || c == '}') && brackets > 0) --brackets;
      scanner.Take(
          scanner.Sees("**") || scanner.Sees("//") ? 2 : PunctuatorAt(scanner));
    }
  }
  return scanner.MoveTokens();
}

}  // namespace

std::string TokensOf(Language language, std::string_view source) {
  switch (language) {
    case Language::kCpp:
    case Language::kCuda:
      return TokensOfC(source);
    case Language::kPython:
    case Language::kTriton:
    case Language::kTilelang:
      return TokensOfPython(source);
    case Language::kSim:
      break;
  }
  return std::string(source);
}

std::uint64_t KernelHash(const Candidate& candidate) {
  FieldHasher hasher;
  hasher.Add(static_cast<std::int64_t>(candidate.language));
  hasher.Add(std::string_view(candidate.entry_symbol));
  hasher.Add(std::string_view(TokensOf(candidate.language, candidate.source)));
  return ShortHash(hasher.Finish());
}

}  // namespace coppice::store
