// The files of tensors that a workload names: a problem's worker sees them, and
// reads of them what it draws, so that their size is no matter of ours.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/task.h"

namespace coppice::eval {

// Each once, in the order in which inputs name them.
std::vector<std::filesystem::path> StoredFiles(const Workload& workload);

// What the worker calls the i-th of them.
std::string StoredFileInWorker(std::size_t i);

// The same, of the file of one of the workload's inputs.
std::string PathInWorker(const Workload& workload,
                         const SafetensorsInput& input);

}  // namespace coppice::eval
