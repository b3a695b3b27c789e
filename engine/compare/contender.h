// What a comparison holds against others: a policy, and settings that are its
// campaigns' own, as one word:
//
//   stark    stark:epsilon=0.4,n_root=8    stark.alone stark@window_history=0
//
// The word names it in reports and campaigns and is stored with these, so all
// ways to say the same have one spelling: constants that are no defaults in the
// order of the policy's table, then ".alone" for the code agent alone, then
// settings in the order of the table of keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "store/records/result.h"

namespace coppice::engine {

struct Contender {
  std::string policy;
  bool alone = false;
  std::vector<config::Override> settings = {};
};

// REQUIRES: the one spelling.
Contender ContenderOf(const std::string& name);

std::string AgentsOf(const Contender& contender);  // "team" or "alone".

// What its campaigns work with, where all share `settings`.
Result<config::Settings> OwnSettings(const Contender& contender,
                                     config::Settings settings);

// Takes any spelling.  kUsage: there is no such policy, constant or axis, or a
// value is none.
Result<Contender> ParseContender(const std::string& text);

// The one spelling.
std::string NameOf(const Contender& contender);

// Keys of the settings that may differ between contenders: the agents, and
// those of models, prompts and memory that run no command, send no key and
// write nothing for others.
std::vector<std::string_view> Axes();

// Each contender with each combination of values.
// "window_history=0,5,grounding=used,off" has two axes.  kUsage as above.
Result<std::vector<std::string>> Varied(
    const std::vector<std::string>& contenders, const std::string& axes);

}  // namespace coppice::engine
