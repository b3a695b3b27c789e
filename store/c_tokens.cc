#include "store/c_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "store/scanner.h"

namespace coppice::store {
namespace {

constexpr std::string_view kPlanMark = "//@";
constexpr std::string_view kBlanks = " \t";

bool HasAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) {
    return text.find(part) != text.npos;
  });
}

// A line of GCC's ends with a carriage return that stands alone, too.  It skips
// a byte order mark and NULs before a directive.
bool HasBytesOfNoC(std::string_view source) {
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto byte = static_cast<unsigned char>(source[i]);
    const bool is_line_end =
        byte == '\n' ||
        (byte == '\r' && source.substr(i + 1).starts_with('\n'));
    if ((byte < ' ' && byte != '\t' && !is_line_end) || byte == 0x7f) {
      return true;
    }
  }
  return source.starts_with("\xEF\xBB\xBF");
}

// GCC takes blanks between a backslash and the line's end for nothing.
bool HasBlankSplice(std::string_view source) {
  for (std::size_t at = source.find('\\'); at != source.npos;
       at = source.find('\\', at + 1)) {
    const std::size_t next = source.find_first_not_of(kBlanks, at + 1);
    const bool ends_line =
        next == source.npos || source[next] == '\n' || source[next] == '\r';
    if (ends_line && next != at + 1) return true;
  }
  return false;
}

// What is left of two backslashes may end the line, too.
constexpr auto kDoubleSplices =
    std::to_array<std::string_view>({"\\\\\n", "\\\\\r\n"});

constexpr auto kSplices = std::to_array<std::string_view>({"\\\n", "\\\r\n"});

// Launch plans are read line by line: one after code is none.
bool HasMarkWithinLine(std::string_view source) {
  for (std::size_t at = source.find(kPlanMark); at != source.npos;
       at = source.find(kPlanMark, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && kBlanks.find(source[begin - 1]) != kBlanks.npos) {
      --begin;
    }
    if (begin > 0 && source[begin - 1] != '\n') return true;
  }
  return false;
}

// Pasted tokens, trigraphs and digraphs.
constexpr auto kOtherSpellings =
    std::to_array<std::string_view>({"##", "??", "%:", "<:", ":>", "<%", "%>"});

// What tells a source where it stands, reads it or makes errors of warnings
// about its layout; and macros of the system's headers that do so, stringise or
// paste.
constexpr auto kLayoutSeers = std::to_array<std::string_view>(
    {"__LINE__",   "source_location", "__builtin_LINE", "__builtin_COLUMN",
     "stacktrace", "_FILE__",         "__builtin_FILE", "__PRETTY_FUNCTION__",
     "incbin",     "__has_include",   "__has_embed",    "__STRING",
     "__CONCAT",   "__REDIRECT",      "__ASMNAME",      "nv_diag_",
     "diag_error", "__glibc",         "__gthrw",        "_GLIBCXX_",
     "_PSTL_"});

bool IsToldByBytes(std::string_view source) {
  const bool has_raw_string = source.find("R\"") != source.npos;
  const bool has_plan = source.find(kPlanMark) != source.npos;
  const bool has_splice = HasAny(source, kSplices);
  const bool has_return = source.find('\r') != source.npos;
  return HasBytesOfNoC(source) || HasBlankSplice(source) ||
         HasAny(source, kDoubleSplices) ||
         (has_raw_string && (has_splice || has_return)) ||
         (has_plan && (has_splice || HasMarkWithinLine(source)));
}

// Lines that end in a backslash go on in the next.
std::string Spliced(std::string_view source) {
  std::string text;
  for (const char c : source) {
    if (c == '\r') continue;
    if (c == '\n' && text.ends_with('\\')) {
      text.pop_back();
    } else {
      text += c;
    }
  }
  return text;
}

// Longest first.
constexpr auto kCPunctuators = std::to_array<std::string_view>(
    {"<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--",
     "<<",  ">>",  "<=",  ">=",  "==",  "!=", "&&", "||", "+=",
     "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", ".*"});
constexpr std::string_view kSecondBytes = "<>=.:+-&|*";  // Of these.

// How three and more angles are cut depends on all of them, and on CUDA.
std::size_t CPunctuatorAt(const Scanner& scanner) {
  if (kSecondBytes.find(scanner.Peek(1)) == kSecondBytes.npos) return 1;
  if (scanner.Sees("<<<") || scanner.Sees(">>>")) {
    return std::min(scanner.left().find_first_not_of("<>="),
                    scanner.left().size());
  }
  for (const std::string_view each : kCPunctuators) {
    if (scanner.Sees(each)) return each.size();
  }
  return 1;
}

// The length of the prefix of a literal that begins here: u8R"..., L'.'.
std::size_t LiteralPrefix(const Scanner& scanner) {
  const bool may_be_one = std::string_view("uULR\"'").find(scanner.Peek()) !=
                          std::string_view::npos;
  if (!may_be_one) return std::string_view::npos;
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

// npos if it has no end.
std::size_t LengthOfRawString(std::string_view text, std::size_t prefix) {
  const std::size_t begin = prefix + 1;
  const std::size_t open = text.find('(', begin);
  if (open == text.npos) return text.npos;
  const std::string_view delimiter = text.substr(begin, open - begin);
  const bool is_one = delimiter.size() <= 16 &&
                      delimiter.find_first_of(" ()\\\"\t\n") == delimiter.npos;
  if (!is_one) return text.npos;
  const std::string close = ")" + std::string(delimiter) + "\"";
  const std::size_t end = text.find(close, open);
  return end == text.npos ? end : end + close.size();
}

// Where in a directive a token is.
enum class Part {
  kOutside,
  kKeyword,    // After #.
  kMacroName,  // After #define.
  kMacroBody,  // After the name of one without arguments.
  kHeader,     // After #include.
  kWithin,
};

class CTokenizer {
 public:
  explicit CTokenizer(std::string_view text) : scanner_(text) {}

  std::optional<std::string> Run() {
    while (!scanner_.AtEnd()) {
      if (!SkipLayout() && !TakeToken()) return std::nullopt;
    }
    if (is_unclosed_) return std::nullopt;
    return scanner_.MoveTokens();
  }

 private:
  // False: a token is next.
  bool SkipLayout() {
    const char c = scanner_.Peek();
    if (c == '\n') {
      if (part_ != Part::kOutside) scanner_.Put("end of line");
      part_ = Part::kOutside;
      is_at_line_start_ = true;
      scanner_.Skip(1);
    } else if (kBlanks.find(c) != kBlanks.npos) {
      scanner_.Skip(1);
    } else if (scanner_.Sees("//")) {
      const std::string_view line =
          scanner_.left().substr(0, scanner_.left().find('\n'));
      if (line.starts_with(kPlanMark)) scanner_.Put(line);
      scanner_.SkipTo("\n");
    } else if (scanner_.Sees("/*")) {
      const std::size_t end = scanner_.left().find("*/", 2);
      is_unclosed_ = end == std::string_view::npos;
      const std::string_view comment = scanner_.left().substr(0, end);
      if (comment.find(kPlanMark) != comment.npos) scanner_.Put(comment);
      scanner_.Skip(comment.size() + 2);
    } else {
      return false;
    }
    return true;
  }

  // False: the source is told by its bytes.
  bool TakeToken() {
    const char c = scanner_.Peek();
    const bool begins_line = is_at_line_start_;
    is_at_line_start_ = false;
    if (c == '\\') return false;                            // \u00e9 in a name.
    if (c == '#' && part_ != Part::kOutside) return false;  // Stringises.
    if (part_ == Part::kHeader && !SeesPlainHeader()) return false;
    if (part_ == Part::kMacroBody && c == '(') {
      scanner_.Put("not of arguments");  // #define F (x) is not #define F(x).
    }
    if (part_ == Part::kMacroBody || part_ == Part::kHeader) {
      part_ = Part::kWithin;
    }
    if (const std::size_t prefix = LiteralPrefix(scanner_);
        prefix != std::string_view::npos) {
      return TakeLiteral(prefix);
    }
    if (scanner_.SeesNumber()) {
      scanner_.TakeNumber('\'');
      return !scanner_.SeesQuote();
    }
    if (IsWordByte(c)) return TakeWord();
    scanner_.Take(CPunctuatorAt(scanner_));
    if (c == '#' && begins_line) part_ = Part::kKeyword;
    return true;
  }

  bool TakeWord() {
    const std::string_view word = scanner_.TakeWord();
    if (part_ == Part::kMacroName) {
      const bool has_arguments = scanner_.Peek() == '(';
      part_ = has_arguments ? Part::kWithin : Part::kMacroBody;
    } else if (part_ == Part::kKeyword) {
      part_ = Part::kWithin;
      if (word == "define") part_ = Part::kMacroName;
      if (word.starts_with("include") || word == "import") {
        part_ = Part::kHeader;
      }
      if (word == "embed") return false;
    }
    // What other letters are may decide whether a literal has a prefix.
    const bool is_plain = std::ranges::all_of(
        word, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return is_plain || !scanner_.SeesQuote();
  }

  // Its suffix is a part of it: "a"_s is not "a" _s.
  bool TakeLiteral(std::size_t prefix) {
    const std::string_view left = scanner_.left();
    const bool is_raw = prefix > 0 && left[prefix - 1] == 'R';
    std::size_t length =
        is_raw ? LengthOfRawString(left, prefix)
               : scanner_.LengthOfQuoted(prefix, left.substr(prefix, 1), true);
    if (length == left.npos) return false;
    const bool has_line_end = left.substr(0, length).find('\n') != left.npos;
    if (has_line_end && part_ != Part::kOutside) return false;
    while (length < left.size() && IsWordByte(left[length])) ++length;
    scanner_.Take(length);
    return true;
  }

  // <name> or "name", in which there is nothing that would be a comment, a
  // blank or a literal elsewhere.
  bool SeesPlainHeader() const {
    const std::string_view left = scanner_.left();
    if (left[0] != '<' && left[0] != '"') return false;
    const std::string_view line = left.substr(0, left.find('\n'));
    const std::size_t end = line.find(left[0] == '<' ? '>' : '"', 1);
    if (end == line.npos) return false;
    const std::string_view name = line.substr(1, end - 1);
    return name.find("//") == name.npos &&
           std::ranges::all_of(name, [](char c) {
             return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                    std::string_view("_./+-").find(c) != std::string_view::npos;
           });
  }

  Scanner scanner_;
  Part part_ = Part::kOutside;
  bool is_at_line_start_ = true;
  bool is_unclosed_ = false;  // A comment.
};

// None of their macros makes a text of what it is given, but assert.
constexpr auto kKnownHeaders =
    std::to_array<std::string_view>({"algorithm",     "array",
                                     "atomic",        "bit",
                                     "bitset",        "cassert",
                                     "cfloat",        "chrono",
                                     "climits",       "cmath",
                                     "complex",       "complex.h",
                                     "concepts",      "cooperative_groups.h",
                                     "cstddef",       "cstdint",
                                     "cstdio",        "cstdlib",
                                     "cstring",       "cuda_bf16.h",
                                     "cuda_fp16.h",   "cuda_runtime.h",
                                     "deque",         "exception",
                                     "float.h",       "functional",
                                     "immintrin.h",   "initializer_list",
                                     "iterator",      "limits",
                                     "limits.h",      "list",
                                     "map",           "math.h",
                                     "memory",        "mma.h",
                                     "mutex",         "new",
                                     "numbers",       "numeric",
                                     "omp.h",         "optional",
                                     "queue",         "random",
                                     "set",           "span",
                                     "stack",         "stddef.h",
                                     "stdexcept",     "stdint.h",
                                     "stdio.h",       "stdlib.h",
                                     "string",        "string.h",
                                     "string_view",   "thread",
                                     "tuple",         "type_traits",
                                     "unordered_map", "unordered_set",
                                     "utility",       "valarray",
                                     "variant",       "vector",
                                     "x86intrin.h"});

bool IsKnownHeader(std::string_view rest) {
  const std::size_t open = rest.find_first_not_of(kBlanks);
  if (open == rest.npos || (rest[open] != '<' && rest[open] != '"')) {
    return false;
  }
  const std::size_t close = rest.find_first_of(">\"", open + 1);
  return close != rest.npos &&
         std::ranges::find(kKnownHeaders,
                           rest.substr(open + 1, close - open - 1)) !=
             kKnownHeaders.end();
}

}  // namespace

bool MayReadItself(std::string_view source) {
  const std::string text = Spliced(source);
  const std::string_view all = text;
  if (all.find("asm") != all.npos || HasWord(all, "import")) return true;
  constexpr std::string_view kInclude = "include";
  for (std::size_t at = all.find(kInclude); at != all.npos;
       at = all.find(kInclude, at + 1)) {
    const std::string_view rest = all.substr(at + kInclude.size());
    if (!IsKnownHeader(rest.substr(0, rest.find('\n')))) return true;
  }
  return false;
}

std::optional<std::string> TokensOfC(std::string_view source) {
  if (IsToldByBytes(source)) return std::nullopt;
  const std::string text = Spliced(source);
  if (HasAny(text, kOtherSpellings) || HasAny(text, kLayoutSeers) ||
      HasWord(text, "assert") || HasWord(text, "diagnostic")) {
    return std::nullopt;
  }
  return CTokenizer(text).Run();
}

}  // namespace coppice::store
