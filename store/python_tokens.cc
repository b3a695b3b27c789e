#include "store/python_tokens.h"

#include <algorithm>
#include <array>
#include <vector>

#include "store/scanner.h"

namespace coppice::store {
namespace {

// A tab's width and the ends of lines are told in more than one way.
bool HasBytesOfNoPython(std::string_view source) {
  return std::ranges::any_of(source, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && byte != '\n') || byte == 0x7f;
  });
}

// A byte order mark, or a comment that names an encoding.
bool HasEncoding(std::string_view source) {
  const std::size_t line = source.find('\n');
  const std::size_t lines =
      line == source.npos ? line : source.find('\n', line + 1);
  return source.starts_with("\xEF\xBB\xBF") ||
         source.substr(0, lines).find("coding") != source.npos;
}

// What tells where a source stands, or reads it; and what could get at that by
// a name that is not written out.
constexpr auto kLineSeers = std::to_array<std::string_view>(
    {"lineno",      "_lines",         "_linetable",   "_lnotab",
     "_positions",  "_code",          "_frame",       "traceback",
     "inspect",     "linecache",      "getsource",    "warnings",
     "logging",     "__file__",       "__cached__",   "__loader__",
     "__spec__",    "importlib",      "__import__",   "getattr",
     "attrgetter",  "methodcaller",   "__dict__",     "globals",
     "builtins",    "__subclasses__", "FunctionType", "CodeType",
     "marshal",     "pickle",         "raw_src",      ".src",
     "tracemalloc", "faulthandler",   "stack_trace",  "profile"});
constexpr auto kSeeingWords = std::to_array<std::string_view>(
    {"eval", "exec", "open", "sys", "dis", "ast", "gc", "ctypes", "vars",
     "locals", "format", "format_map", "tokenize", "trace", "pdb", "unittest"});

bool SeesItsLines(std::string_view source) {
  return std::ranges::any_of(kLineSeers,
                             [&](std::string_view each) {
                               return source.find(each) != source.npos;
                             }) ||
         std::ranges::any_of(kSeeingWords, [&](std::string_view each) {
           return HasWord(source, each);
         });
}

// Longest first.
constexpr auto kPythonPunctuators = std::to_array<std::string_view>(
    {"**=", "//=", ">>=", "<<=", "...", "**", "//", "<<", ">>",
     "<=",  ">=",  "==",  "!=",  "<>",  "->", ":=", "+=", "-=",
     "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@="});

std::size_t PythonPunctuatorAt(const Scanner& scanner) {
  for (const std::string_view each : kPythonPunctuators) {
    if (scanner.Sees(each)) return each.size();
  }
  return 1;
}

// Length of the letters before a quote: r"...", Rb'''...
std::size_t StringPrefix(const Scanner& scanner) {
  constexpr std::string_view kLetters = "rRbBfFuUtT";
  std::size_t length = 0;
  while (length < 2 && kLetters.find(scanner.Peek(length)) != kLetters.npos) {
    ++length;
  }
  const char quote = scanner.Peek(length);
  return quote == '"' || quote == '\'' ? length : std::string_view::npos;
}

// Whether all that is in braces is without quotes: by Python 3.12 on, a string
// may be within another of its own kind.
bool IsPlainTemplate(std::string_view inside) {
  if (inside.find_first_of("{}") == inside.npos) return true;
  if (inside.find_first_of("'\"\\#") != inside.npos) return false;
  int depth = 0;
  for (const char c : inside) {
    if (c == '{') ++depth;
    if (c == '}' && --depth < 0) return false;
  }
  return depth == 0;
}

class PythonTokenizer {
 public:
  explicit PythonTokenizer(std::string_view text) : scanner_(text) {}

  std::optional<std::string> Run() {
    if (!BeginLine()) return std::nullopt;
    while (!scanner_.AtEnd()) {
      if (!TakeToken()) return std::nullopt;
    }
    return scanner_.MoveTokens();
  }

 private:
  // Each is false if the source is told by its bytes.

  bool TakeToken() {
    const char c = scanner_.Peek();
    if (c == '\n') return EndLine();
    if (c == '\\') return SkipSplice();
    if (c == ' ') {
      scanner_.Skip(1);
      return true;
    }
    if (c == '#') {
      scanner_.SkipTo("\n");
      return true;
    }
    is_at_line_start_ = false;
    if (const std::size_t prefix = StringPrefix(scanner_);
        prefix != std::string_view::npos) {
      return TakeString(prefix);
    }
    if (scanner_.SeesNumber()) {
      scanner_.TakeNumber('\0');
      return !scanner_.SeesQuote();  // 1or''
    }
    if (IsWordByte(c)) {
      scanner_.TakeWord();
      return !scanner_.SeesQuote();  // Perhaps a later Python's prefix.
    }
    if (c == '(' || c == '[' || c == '{') ++brackets_;
    if ((c == ')' || c == ']' || c == '}') && brackets_ > 0) --brackets_;
    scanner_.Take(PythonPunctuatorAt(scanner_));
    return true;
  }

  bool EndLine() {
    scanner_.Skip(1);
    if (brackets_ > 0) return true;
    scanner_.Put("end of line");
    return BeginLine();
  }

  bool BeginLine() {
    is_at_line_start_ = true;
    const std::size_t column = Indentation();
    if (scanner_.AtEnd()) return true;
    if (column > blocks_.back()) {
      blocks_.push_back(column);
      scanner_.Put("more indented");
    }
    while (column < blocks_.back()) {
      blocks_.pop_back();
      scanner_.Put("less indented");
    }
    return column == blocks_.back();
  }

  // How deep the next line that holds a token is indented; the empty lines and
  // comments before it are skipped.
  std::size_t Indentation() {
    std::size_t column = 0;
    for (; !scanner_.AtEnd(); scanner_.Skip(1)) {
      if (scanner_.Peek() == '#') scanner_.SkipTo("\n");
      if (scanner_.Peek() != ' ' && scanner_.Peek() != '\n') break;
      column = scanner_.Peek() == ' ' ? column + 1 : 0;
    }
    return column;
  }

  // Only between two tokens of a line.
  bool SkipSplice() {
    if (is_at_line_start_ || !scanner_.Sees("\\\n")) return false;
    scanner_.Skip(2);
    const std::string_view left = scanner_.left();
    const std::size_t next = left.find_first_not_of(' ');
    return next != left.npos &&
           std::string_view("\n#\\").find(left[next]) == std::string_view::npos;
  }

  bool TakeString(std::size_t prefix) {
    const std::string_view left = scanner_.left();
    const std::string one(left.substr(prefix, 1));
    const std::string three = one + one + one;
    const bool is_long = left.substr(prefix).starts_with(three);
    const std::string& quote = is_long ? three : one;
    // A backslash keeps a quote from ending a raw string, too.
    const std::size_t length = scanner_.LengthOfQuoted(prefix, quote, !is_long);
    if (length == left.npos) return false;
    const std::string_view letters = left.substr(0, prefix);
    const std::size_t open = prefix + quote.size();
    if (letters.find_first_of("fFtT") != letters.npos &&
        !IsPlainTemplate(left.substr(open, length - quote.size() - open))) {
      return false;
    }
    scanner_.Take(length);
    return true;
  }

  Scanner scanner_;
  std::vector<std::size_t> blocks_ = {0};
  std::size_t brackets_ = 0;
  bool is_at_line_start_ = true;
};

}  // namespace

std::optional<std::string> TokensOfPython(std::string_view source) {
  if (HasBytesOfNoPython(source) || HasEncoding(source) ||
      SeesItsLines(source)) {
    return std::nullopt;
  }
  return PythonTokenizer(source).Run();
}

}  // namespace coppice::store
