#include "engine/own/source_file.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "agents/catalogue/token.h"

namespace coppice::engine::own {
namespace {

using agents::catalogue::Token;
using agents::catalogue::TokenKind;

struct Placed : Token {
  std::size_t begin = 0;  // Of its first byte in the text.
};

std::vector<Placed> PlacedTokens(std::string_view text) {
  std::vector<Placed> placed;
  std::size_t at = 0;
  for (Token& token : agents::catalogue::Tokenize(text)) {
    const std::size_t found = text.find(token.text, at);
    if (found != text.npos) at = found;
    Placed one;
    static_cast<Token&>(one) = std::move(token);
    one.begin = at;
    at += one.text.size();
    placed.push_back(std::move(one));
  }
  return placed;
}

using Span =
    std::pair<std::size_t, std::size_t>;  // First and last token, end excluded.

// Texts of "#define NAME text", by name; macros with arguments are left out.
using Macros = std::map<std::string, std::string, std::less<>>;

void NoteMacro(const std::string& directive, Macros& macros) {
  constexpr std::string_view kBlank = " \t";
  std::size_t at = directive.find("define");
  if (at == directive.npos) return;
  at = directive.find_first_not_of(kBlank, at + 6);
  if (at == directive.npos) return;
  const std::size_t end =
      std::min(directive.find_first_of(" \t(", at), directive.size());
  if (end < directive.size() && directive[end] == '(') return;
  std::string value = directive.substr(end);
  const std::size_t first = value.find_first_not_of(kBlank);
  // Sizes keep their names.
  const bool is_number =
      first != value.npos && value[first] >= '0' && value[first] <= '9';
  if (!is_number) macros[directive.substr(at, end - at)] = std::move(value);
}

class Cutter {
 public:
  explicit Cutter(std::string_view text)
      : text_(text), tokens_(PlacedTokens(text)) {}

  std::vector<Piece> Cut() {
    while (tokens_[at_].kind != TokenKind::kEnd) {
      const Placed& token = tokens_[at_];
      if (token.kind == TokenKind::kComment || token.text == "}" ||
          token.text == ";") {
        ++at_;
      } else if (token.kind == TokenKind::kDirective) {
        NoteMacro(token.text, macros_);
        Add(PieceKind::kDirective, {at_, at_ + 1});
        ++at_;
      } else if (const std::size_t inside = Opened()) {
        at_ = inside;
      } else {
        Declaration();
      }
    }
    return std::move(pieces_);
  }

 private:
  bool Is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].text == text;
  }

  // Behind the brace of extern "C" or of a namespace that opens here, or 0.
  std::size_t Opened() const {
    std::size_t at = at_;
    if (Is(at, "extern") && Is(at + 1, "\"C\"")) {
      at += 2;
    } else {
      if (Is(at, "inline")) ++at;
      if (!Is(at, "namespace")) return 0;
      ++at;
      while (tokens_[at].kind == TokenKind::kName || Is(at, "::")) ++at;
    }
    return Is(at, "{") ? at + 1 : 0;
  }

  // Behind an attribute that begins here, or `at`.
  std::size_t PastAttribute(std::size_t at) const {
    const bool is_one =
        Is(at, "__attribute__") || Is(at, "__declspec") || Is(at, "alignas");
    return is_one && Is(at + 1, "(") ? Close(at + 1) : at;
  }

  std::string Text(Span span) const {
    if (span.first >= span.second) return "";
    const Placed& last = tokens_[span.second - 1];
    const std::size_t begin = tokens_[span.first].begin;
    return std::string(
        text_.substr(begin, last.begin + last.text.size() - begin));
  }

  // Behind the bracket that closes the one at `at`.
  std::size_t Close(std::size_t at) const {
    int depth = 0;
    for (; tokens_[at].kind != TokenKind::kEnd; ++at) {
      const std::string& text = tokens_[at].text;
      if (text == "(" || text == "{" || text == "[") ++depth;
      if (text == ")" || text == "}" || text == "]") --depth;
      if (depth == 0) return at + 1;
    }
    return at;
  }

  Piece& Add(PieceKind kind, Span span) {
    Piece piece;
    piece.kind = kind;
    piece.text = Text(span);
    for (std::size_t i = span.first; i < span.second; ++i) {
      if (tokens_[i].kind == TokenKind::kName)
        piece.names.insert(tokens_[i].text);
    }
    pieces_.push_back(std::move(piece));
    return pieces_.back();
  }

  // Up to its semicolon, or through the body of a function.
  void Declaration() {
    const std::size_t start = at_;
    std::size_t parameters = 0;
    bool is_initialised = false;
    while (tokens_[at_].kind != TokenKind::kEnd && !Is(at_, ";")) {
      if (const std::size_t past = PastAttribute(at_); past != at_) {
        at_ = past;
        continue;
      }
      if (Is(at_, "(") && parameters == 0) {
        if (IsNameInBrackets(at_)) at_ += 3;
        parameters = at_;
        if (at_ > start && IsOldStyle(at_)) return OldStyle(start, at_);
      }
      if (Is(at_, "=")) is_initialised = true;
      if (Is(at_, "{") && !is_initialised && HasName(start, parameters)) {
        return Function(start, parameters);
      }
      at_ = Is(at_, "(") || Is(at_, "{") || Is(at_, "[") ? Close(at_) : at_ + 1;
    }
    if (Is(at_, ";")) ++at_;
    Add(PieceKind::kDeclaration, {start, at_});
  }

  // Whether a name stands before the parameters, which brackets may be around.
  bool HasName(std::size_t start, std::size_t parameters) const {
    return parameters > start &&
           (!Is(parameters - 1, ")") ||
            (parameters >= start + 3 && Is(parameters - 3, "(") &&
             IsNameInBrackets(parameters - 3)));
  }

  // void (f)(int n), whose name no macro of that name replaces.
  bool IsNameInBrackets(std::size_t at) const {
    return tokens_[at + 1].kind == TokenKind::kName && Is(at + 2, ")") &&
           Is(at + 3, "(");
  }

  // f(x, n) float *x; int n; { ... }
  bool IsOldStyle(std::size_t parameters) const {
    const std::size_t behind = Close(parameters);
    const std::size_t first = parameters + 1;
    if (first + 1 >= behind || tokens_[behind].kind != TokenKind::kName) {
      return false;
    }
    for (std::size_t i = first; i + 1 < behind; ++i) {
      const bool is_name = tokens_[i].kind == TokenKind::kName;
      if ((i - first) % 2 == 0 ? !is_name : !Is(i, ",")) return false;
    }
    std::size_t at = behind;
    while (tokens_[at].kind != TokenKind::kEnd && !Is(at, "{")) ++at;
    return Is(at, "{") && Is(at - 1, ";");
  }

  // The same as C++ has it: its pieces are those of the new text.
  void OldStyle(std::size_t start, std::size_t parameters) {
    std::size_t at = Close(parameters);
    const Span names{parameters + 1, at - 1};
    Macros declared;  // "x": "float *x".
    while (!Is(at, "{")) {
      std::size_t end = at;
      while (!Is(end, ";")) ++end;
      Declarators({at, end}, declared);
      at = end + 1;
    }
    std::string text = Text({start, parameters}) + "(";
    for (std::size_t i = names.first; i < names.second; i += 2) {
      const auto found = declared.find(tokens_[i].text);
      if (i > names.first) text += ", ";
      // A parameter without a type is an int, as C had it.
      text +=
          found != declared.end() ? found->second : "int " + tokens_[i].text;
    }
    at_ = Close(at);
    text += ") " + Text({at, at_});
    Cutter inner(text);
    inner.macros_ = macros_;
    for (Piece& piece : inner.Cut()) pieces_.push_back(std::move(piece));
  }

  // "float *x, y" declares "float *x" and "float y".
  void Declarators(Span span, Macros& declared) const {
    std::size_t begin = span.first;  // Of the first declarator.
    while (begin + 1 < span.second && !Is(begin, "*") && !Is(begin + 1, ",") &&
           !Is(begin + 1, "[")) {
      ++begin;
    }
    const std::string type = Text({span.first, begin});
    std::size_t from = begin;
    for (std::size_t i = begin; i <= span.second; ++i) {
      if (i < span.second && !Is(i, ",")) continue;
      std::size_t name = from;
      while (name < i && (Is(name, "*") || Is(name, "const"))) ++name;
      declared[tokens_[name].text] = type + " " + Text({from, i});
      from = i + 1;
    }
  }

  // With what its words stand for, so that types are seen.
  std::string Expanded(std::string text) const {
    for (int depth = 0; depth < 8; ++depth) {
      std::string next =
          Replaced(text, [&](const TokenView& token, std::string& other) {
            const auto macro = macros_.find(token.text);
            if (macro == macros_.end()) return false;
            other = macro->second;
            return true;
          });
      if (next == text) break;
      text = std::move(next);
    }
    return text;
  }

  void TakeSignature(std::size_t start, std::size_t body, Piece& piece) const {
    const std::string text = Text({start, body});
    const std::string plain = Expanded(text);
    if (plain == text) return;
    const std::string whole = plain + " {}";
    std::vector<Piece> pieces = Cutter(whole).Cut();
    if (pieces.empty() || pieces.back().kind != PieceKind::kFunction) return;
    Piece& as = pieces.back();
    piece.name = as.name;
    piece.returns = as.returns;
    piece.header = as.header;
    piece.parameters = std::move(as.parameters);
    piece.trouble = as.trouble;
  }

  void Function(std::size_t start, std::size_t parameters) {
    const std::size_t body = at_;
    at_ = Close(body);
    Piece& piece = Add(PieceKind::kFunction, {start, at_});
    piece.body = Text({body + 1, at_ - 1});
    const std::size_t name =
        Is(parameters - 1, ")") ? parameters - 2 : parameters - 1;
    piece.name = tokens_[name].text;
    std::size_t first = start;
    if (Is(first, "extern") && Is(first + 1, "\"C\"")) first += 2;
    const std::size_t before =
        name + 1 < parameters ? name - 1 : name;  // Its bracket, if it has one.
    piece.header = Text({first, before});
    for (std::size_t i = PastAttribute(first); i < before;
         i = PastAttribute(i + 1)) {
      const std::string& word = tokens_[i].text;
      const char* trouble = word == "template" ? "is a template"
                            : word == "::" || word == "operator"
                                ? "is a member of a class or namespace"
                            : word == "__global__" || word == "__device__"
                                ? "is CUDA; a task on a GPU is written by hand"
                                : "";
      if (piece.trouble.empty()) piece.trouble = trouble;
      if (word == "static" || word == "inline" || word == "constexpr" ||
          tokens_[i].kind == TokenKind::kComment) {
        continue;
      }
      piece.returns += (piece.returns.empty() ? "" : " ") + word;
    }
    Parameters({parameters + 1, Close(parameters) - 1}, piece);
    TakeSignature(start, body, piece);
  }

  void Parameters(Span span, Piece& piece) {
    std::size_t from = span.first;
    int depth = 0;
    for (std::size_t i = span.first; i <= span.second; ++i) {
      if (i < span.second) {
        const std::string& text = tokens_[i].text;
        if (text == "(" || text == "[" || text == "<") ++depth;
        if (text == ")" || text == "]" || text == ">") --depth;
      }
      if (i < span.second && (depth > 0 || !Is(i, ","))) continue;
      const bool is_void = i == from + 1 && Is(from, "void");
      if (i > from && !is_void) piece.parameters.push_back(Read({from, i}));
      from = i + 1;
    }
  }

  Parameter Read(Span span) {
    Parameter parameter;
    int stars = 0;
    for (std::size_t i = span.first; i < span.second; ++i) {
      const std::string& word = tokens_[i].text;
      if (word == "[") {
        const std::size_t end = Close(i);
        parameter.dims.push_back(Text({i + 1, end - 1}));
        i = end - 1;
      } else if (word == "*") {
        ++stars;
      } else if (word == "const") {
        parameter.is_const |= stars == 0;
      } else if (word == "&" || word == "&&" || word == "<" || word == "::" ||
                 word == "(" || word == "...") {
        parameter.trouble =
            "is no number and no pointer to numbers: " + Text(span);
      } else if (tokens_[i].kind == TokenKind::kName && word != "restrict" &&
                 word != "__restrict__" && word != "__restrict" &&
                 word != "register") {
        if (!parameter.name.empty()) {
          parameter.type +=
              (parameter.type.empty() ? "" : " ") + parameter.name;
        }
        parameter.name = word;
      }
    }
    if (parameter.type.empty()) {
      parameter.trouble = "has no name: " + Text(span);
    }
    if (stars + (parameter.dims.empty() ? 0 : 1) > 1) {
      parameter.trouble = "is a pointer to pointers: " + Text(span);
    }
    parameter.is_pointer = stars > 0 || !parameter.dims.empty();
    if (parameter.dims.size() == 1 && parameter.dims[0].empty()) {
      parameter.dims.clear();  // A pointer.
    }
    return parameter;
  }

  std::string_view text_;
  std::vector<Placed> tokens_;
  std::size_t at_ = 0;
  Macros macros_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> CutSource(std::string_view text) {
  return Cutter(text).Cut();
}

std::string Replaced(std::string_view text, const Replace& replace) {
  const std::vector<Placed> tokens = PlacedTokens(text);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Placed& token = tokens[i];
    const TokenView view{
        .text = token.text,
        .before = i > 0 ? std::string_view(tokens[i - 1].text) : "",
        .behind = tokens[i + 1].text,
        .next =
            i + 2 < tokens.size() ? std::string_view(tokens[i + 2].text) : "",
        .is_name = token.kind == TokenKind::kName,
        .is_directive = token.kind == TokenKind::kDirective};
    std::string other;
    if (!replace(view, other)) continue;
    result += text.substr(copied, token.begin - copied);
    result += other;
    copied = token.begin + token.text.size();
  }
  result += text.substr(copied);
  return result;
}

}  // namespace coppice::engine::own
