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

#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

struct Param {
  std::string type;  // As written: "const float* __restrict__".
  std::string name;
  bool IsPointer() const { return type.find('*') != std::string::npos; }
  bool IsInput() const { return type.starts_with("const "); }
  std::string Element() const;  // "float" of "const float*".
};

struct Kernel {
  std::string text;
  std::vector<Param> params;
  StmtList body;
  std::set<std::string> names;  // All identifiers of the file.
  int first_line = 0;           // Of `extern "C"`, and of what belongs to it.
  int body_line = 0;            // Of the brace that opens the body.
  int last_line = 0;            // Of the brace that closes it.

  const Param* FindParam(std::string_view name) const;
  // "float" for an array of floats that it takes or declares; else empty.
  std::string ElementOf(const std::string& array) const;
};

// The scalars and arrays of whole numbers that it takes or declares.
std::set<std::string> WholeNumbersOf(const Kernel& kernel);

// Says in words why the text holds no entry function that we can read.
tl::expected<Kernel, std::string> ParseKernel(std::string_view text);

// Lines first..last of the text replaced by `lines` (each ended by a newline).
std::string WithLines(std::string_view text, int first, int last,
                      std::string_view lines);

}  // namespace coppice::agents::catalogue
