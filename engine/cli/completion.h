// What may be typed next on a command line.  The scripts of all shells ask
// here: `coppice completion words -- WORD...` prints a line for each
// completion, the word, and behind a tab what it is.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"
#include "engine/documents/verb.h"

namespace coppice::cli {

struct Completion {
  std::string word;   // Whole.  After '/', ':', '=' and ',' more may follow.
  std::string about;  // May be empty.

  bool operator==(const Completion&) const = default;
};

// `words` are those after the program's name; the last one is being typed, and
// may be empty.  Whatever is wrong gives no completions.  Nothing is written,
// and nobody is waited for.
std::vector<Completion> Complete(const std::vector<std::string>& words,
                                 const config::Surroundings& surroundings);

// `coppice completion words -- WORD...`; `words` begin with the "--".
void PrintCompletions(const std::vector<std::string>& words,
                      const config::Surroundings& surroundings,
                      Streams& streams);

}  // namespace coppice::cli
