// Help texts, made from the table of verbs and that of settings.
#pragma once

#include <string>

#include "engine/cli/verb.h"

namespace coppice::cli {

std::string OverallHelp();  // `coppice`: verbs and exit codes.
std::string VerbHelp(const Verb& verb);

}  // namespace coppice::cli
