// A C or C++ file as what stands at its top level, and the functions in it.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::engine::own {

struct Parameter {
  std::string name;
  std::string type;  // Of the value, or of what it points to: "unsigned char".
  bool is_pointer = false;
  bool is_const = false;          // What it points to may not be written.
  std::vector<std::string> dims;  // "float A[N][M]": {"N", "M"}; else empty.
  std::string trouble;            // Why no kernel can be called with it.
};

enum class PieceKind : std::uint8_t { kDirective, kDeclaration, kFunction };

struct Piece {
  PieceKind kind = PieceKind::kDeclaration;
  std::string text;
  std::set<std::string> names;  // All identifiers in it.
  // A function has these as well:
  std::string name;
  std::string returns;  // "void", "double".
  std::vector<Parameter> parameters;
  std::string header;   // Up to its name, without `extern "C"`.
  std::string body;     // Without its braces.
  std::string trouble;  // Why it can be no task: "is a template".
};

// Comments between pieces are dropped, as are the braces of extern "C".  Never
// fails: what it does not know is a declaration.
std::vector<Piece> CutSource(std::string_view text);

// The text with each token that `replace` has a text for replaced by that.
// Given the tokens before and behind, it sees how a name is used.
struct TokenView {
  std::string_view text;
  std::string_view before;  // Of the token before it; empty: none.
  std::string_view behind;
  std::string_view next;  // Behind that.
  bool is_name = false;
  bool is_directive = false;
};
using Replace =
    std::function<bool(const TokenView& token, std::string& replacement)>;
std::string Replaced(std::string_view text, const Replace& replace);

}  // namespace coppice::engine::own
