// A kernel's source file: its text, and its entry function as statements.
//
// Rewriting replaces whole lines of the text, so that all which a technique
// does not touch stays byte for byte what it was.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/stmt.h"
#include "agents/catalogue/token.h"

namespace coppice::agents::catalogue {

struct Param {
  std::string type;  // As written: "const float* __restrict__".
  std::string name;
  bool IsPointer() const { return type.find('*') != std::string::npos; }
  bool IsInput() const { return type.starts_with("const "); }
  std::string Element() const;  // "float" of "const float*".
};

// A function of a source, with the lines where it stands.
struct Function {
  std::vector<Param> params;
  StmtList body;
  int first_line = 0;      // Of the comment right above it, or of `extern`.
  int signature_line = 0;  // Of `extern "C"`.
  int body_line = 0;       // Of the brace that opens the body.
  int last_line = 0;       // Of the brace that closes it.

  const Param* FindParam(std::string_view name) const;
};

struct Kernel : Function {
  std::string text;
  std::set<std::string> names;  // All identifiers of the file.

  // Is it an array that it takes and may not write?
  bool IsInput(const std::string& array) const;
  // "float" for an array of floats that it takes or declares; else empty.
  std::string ElementOf(const std::string& array) const;
};

// `base`, with a number if that is needed to make it new.
std::string FreshName(const std::string& base,
                      const std::set<std::string>& names,
                      const std::set<std::string>& more = {});

// The scalars and arrays of whole numbers that it takes or declares.
std::set<std::string> WholeNumbersOf(const Kernel& kernel);

// Reads `function`, which begins at tokens[start] and whose name is at
// tokens[name].  Empty, or why it cannot be read; `who` is what to call it.
std::string ReadFunction(const std::vector<Token>& tokens, std::size_t start,
                         std::size_t name, const std::string& who,
                         Function& function, Outside outside = {});

// Says in words why the text holds no entry function that we can read.
tl::expected<Kernel, std::string> ParseKernel(std::string_view text);

}  // namespace coppice::agents::catalogue
