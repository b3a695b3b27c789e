// Lists of words on the command line, separated by commas, and counts.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/documents/verb.h"

namespace coppice::cli {

// Leaves the first of equals.
template <class T>
void KeepFirsts(std::vector<T>& all) {
  auto end = all.begin();
  for (T& one : all) {
    if (std::find(all.begin(), end, one) != end) continue;
    if (&one != &*end) *end = std::move(one);
    ++end;
  }
  all.erase(end, all.end());
}

// The words of a list, each once and none of them empty.
std::vector<std::string> SplitList(const std::string& text);

// The words of the option, or `otherwise` if it is not given.  kUsage, with the
// hint, if there are no words.
Result<std::vector<std::string>> GivenList(
    const Invocation& invocation, const std::string& option,
    const std::vector<std::string>& otherwise, const std::string& hint);

// The number of --option, else `otherwise`.  kUsage if it is none of 1 to
// `most`.
Result<std::int64_t> CountUpTo(std::int64_t most, const Invocation& invocation,
                               const std::string& option,
                               std::int64_t otherwise);

// --seeds, else `otherwise`: so many from settings.seed up.  kUsage if they are
// none of 1 to `most`.
Result<std::vector<std::uint64_t>> CountedSeeds(const Invocation& invocation,
                                                std::int64_t most,
                                                std::int64_t otherwise);

// --parallel, else `otherwise`.
Result<int> ThreadsOf(const Invocation& invocation, int otherwise);

// --policies, else `otherwise`, by the values of --vary and --prompts:
// contenders in their one spelling (engine/compare/contender.h), with ".alone"
// if
// --agents says so; each once.
Result<std::vector<std::string>> PoliciesOf(
    const Invocation& invocation, const std::vector<std::string>& otherwise);

// --baseline, in its one spelling; none: it is not given.  kUsage if it is not
// among the policies.
Result<std::optional<std::string>> BaselineOf(
    const Invocation& invocation, const std::vector<std::string>& policies);

// "stark" if it is among the policies, else the first of them.
// REQUIRES: there is one.
std::string UsualBaseline(const std::vector<std::string>& policies);

}  // namespace coppice::cli
