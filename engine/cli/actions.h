// A verb's first word, where it says which of several things to do.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::cli {

// kUsage: "unknown 'chekc'; there are: task list, task check".
Error UnknownAction(std::string_view verb, const std::string& word,
                    std::initializer_list<std::string_view> actions);

// "; a database is named by --db mine.db", to end a complaint with; empty where
// the word does not look like one.
std::string HintOfDatabase(const std::string& word);

}  // namespace coppice::cli
