// A kernel that the user has in a file.
#pragma once

#include <iosfwd>
#include <string>

#include "store/records/candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::cli {

// Makes a candidate of a source, which errors call `name`: one in the language
// of the task's root, or the document of a solution that the task may have.
// kUsage says what is wrong with it.
Result<Candidate> KernelOf(std::string source, const std::string& name,
                           const Task& task);

// The same of a file; "-" is `in`.
Result<Candidate> ReadKernel(const std::string& file, const Task& task,
                             std::istream& in);

}  // namespace coppice::cli
