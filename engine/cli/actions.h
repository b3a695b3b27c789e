// The word after a verb that has several things to do.
#pragma once

#include <string>

#include "engine/documents/verb.h"
#include "store/records/result.h"

namespace coppice::cli {

// kUsage: "unknown 'chekc'; did you mean 'task check'?", or which there are.
// REQUIRES: the verb has actions.
Error UnknownAction(const Verb& verb, const std::string& word);

// kUsage: "missing ACTION; there are: task list, task check".
Error MissingAction(const Verb& verb);

// "; a database is named by --db mine.db", to end a complaint with; empty where
// the word does not look like one.
std::string HintOfDatabase(const std::string& word);

}  // namespace coppice::cli
