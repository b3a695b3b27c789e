// The folder of a task that was made: all of its files, or nothing.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine::own {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// definition.json, workloads.jsonl, root and oracle; expert.cc, if there is a
// text of one.  As eval/formats/task_folder.h reads them.
NamedTexts FilesOf(const Task& task, const std::string& expert);

// Makes the folder.  After an Error, which names the file, it is not there.
Result<void> WriteFolder(const std::filesystem::path& folder,
                         const NamedTexts& files);

}  // namespace coppice::engine::own
