// Where a key comes from, and how it stays out of everything else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/provider/timer.h"
#include "store/records/result.h"

namespace coppice::agents {

struct KeySource {
  std::string env;      // The name of an environment variable.
  std::string command;  // "pass show openai"; if any, it decides.
};

// Empty if the variable is not set or empty.  The command is split as a shell
// would (agents/provider/child.h) but run without one; its first line of output
// is the key.  An error shows neither output nor key.
Result<std::string> ReadKey(const KeySource& source, Timer& timer);

// `text` with "[key]" for each `key` in it, and for what looks like some
// provider's key ("sk-...").  A `key` of less than eight characters is none: a
// server that needs no key is given any word, which programs hold as well.
std::string WithoutKeys(std::string text, std::string_view key);

// The same, but for this key alone: for an answer, which is somebody's program.
std::string WithoutKey(std::string text, std::string_view key);

// Takes out the values of these environment variables: a command that was given
// them may print a key of theirs.
std::string WithoutKeysOf(const std::vector<std::string>& variables,
                          std::string text);

}  // namespace coppice::agents
