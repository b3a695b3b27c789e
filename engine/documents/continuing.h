// The command by which a user goes on with what was stopped.
#pragma once

#include <string>
#include <string_view>

#include "config/load.h"

namespace coppice::cli {

// `text` as a shell takes it for one word.
std::string ShellWord(const std::string& text);

// "coppice resume --db FILE" for "resume --db", with what has to be said again
// of what the command line said `now`.
std::string ContinueCommand(std::string_view verb, const config::Loaded& now);

}  // namespace coppice::cli
