// A kernel that the user has in a file.
#pragma once

#include <iosfwd>
#include <string>

#include "store/records/candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::cli {

// Of a source in the language of the task's root, or the document of a solution
// that the task may have; "-" is `in`.  kUsage says what is wrong with it.
Result<Candidate> ReadKernel(const std::string& file, const Task& task,
                             std::istream& in);

}  // namespace coppice::cli
