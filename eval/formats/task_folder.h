// A task in the form in which somebody writes it (data/README.md): a folder
// with definition.json, workloads.jsonl, root.cc and oracle.cc, or root.cu and
// oracle.cu.  An expert.cc or .cu and a reference.py may be there, too.
#pragma once

#include <filesystem>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// Whether it has a definition, and a root or workloads beside it.
bool IsTaskFolder(const std::filesystem::path& folder);

// What LoadTask (trace_set.h) makes of the same task once it is packed, but
// that it takes any name and any number of workloads, and needs no reference.
// Errors name file, place and what is wrong with it.  A link that leads out of
// the folder is one.
Result<Task> LoadTaskFolder(const std::filesystem::path& folder);

}  // namespace coppice::eval
