// The text that a function's file comes to: what it includes of its own, other
// files that are named, and its own flags.
#pragma once

#include <string>

#include "engine/documents/verb.h"
#include "store/records/result.h"

namespace coppice::cli {

struct OwnText {
  std::string text;
  std::string remark;  // Of flags that are everyone's; or empty.
};

// kUsage of a file that is not there or not below the first one's folder, and
// of flags that no kernel is compiled with.
Result<OwnText> OwnTextOf(const Invocation& invocation,
                          const std::string& file);

// The compiler's first complaint, or empty: it has none, or is not there.
std::string WhatDoesNotCompile(const Invocation& invocation,
                               const std::string& text);

}  // namespace coppice::cli
