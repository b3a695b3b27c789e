// A file as the compiler sees it, in a form that a person still reads.
#pragma once

#include <string>

#include "eval/sandbox/compiler.h"
#include "store/records/result.h"

namespace coppice::engine::own {

// With its conditions decided and its macros written out.  Macros that are
// whole numbers keep their names, headers of the system their #include lines,
// and comments their places.  A text without conditions and without macros that
// take arguments is as it was.  kUsage: the preprocessor's complaint.
Result<std::string> PlainText(const eval::Compiler& compiler,
                              const std::string& text);

}  // namespace coppice::engine::own
