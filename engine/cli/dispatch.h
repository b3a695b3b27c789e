// The command line: finds the verb, loads the settings, runs it, and reports
// what failed in one line on stderr.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"
#include "engine/documents/verb.h"

namespace coppice::cli {

// `arguments` are those after the program's name.  Never throws.
Exit Dispatch(const std::vector<std::string>& arguments,
              const config::Surroundings& surroundings, Streams& streams);

}  // namespace coppice::cli
