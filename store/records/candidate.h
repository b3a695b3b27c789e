// A candidate: the one source file that agents write and the evaluator judges.
#pragma once

#include <string>
#include <vector>

#include "store/records/task.h"

namespace coppice {

struct Candidate {
  Language language = Language::kCpp;
  std::string source;
  std::string entry_symbol;  // The function to call, as the task names it.
  // To link with.  Only those of a trusted expert's solution: what agents write
  // has none.
  std::vector<std::string> libraries{};
};

}  // namespace coppice
