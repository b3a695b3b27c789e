// FlashInfer-Bench trace sets: directories of definitions, workloads, solutions
// and traces, read and written exactly.
//
// As there, files are found by their ending anywhere below definitions/,
// workloads/ and solutions/; a name that occurs twice is an error, and so is
// one malformed file anywhere in the set; unknown keys are ignored.  Sets of
// SOL-ExecBench are read, too (set_documents.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/formats/json_cursor.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// Definition names below `root`, sorted.
Result<std::vector<std::string>> ListDefinitions(
    const std::filesystem::path& root);

// A definition with its workloads, its solution by author "baseline" (the
// root), by author "oracle" and, if there is one, by author "expert", and the
// tolerance of its tag "tolerance:FACTOR".  A set without an oracle is not
// ours: the root is then the Python reference, and the expert the solution by
// author "baseline", or else "flashinfer"; of several the first by name.
// Errors name file, field and what is wrong with it.
Result<Task> LoadTask(const std::filesystem::path& root,
                      const std::string& definition);

// Every task of a set, sorted by name: reads each file once.
Result<std::vector<Task>> LoadTasks(const std::filesystem::path& root);

// Reads the task of one definition's file, in the set that it is in, whatever
// the set's other definitions are like; or of a folder that is one problem of
// SOL-ExecBench.
Result<Task> LoadTaskOf(const std::filesystem::path& file);

// These read a task in another form (task_folder.h).  TakeLine appends the
// workload of a line of JSONL, if it is one of this definition; tensors are
// files below `root`.  TakeTags takes what the definition's tags say of the
// task, whose root is known.
Result<void> TakeLine(const std::filesystem::path& root, const Cursor& line,
                      Task& task);
Result<void> TakeTags(const std::filesystem::path& file, Task& task);

// The task's own JSON, for keeping with a campaign: everything that LoadTask
// read, in one document; ParseTask is its inverse.
std::string SerialiseTask(const Task& task);
Result<Task> ParseTask(const std::string& json);

// The solution document of a candidate, for export.
std::string SerialiseSolution(const Solution& solution);

// A candidate's source may be such a document itself: a solution that is more
// than one file of the task's own kind.
bool IsSolutionDocument(const std::string& source);

// One that somebody wrote; errors begin with `file`.
Result<Solution> ParseSolution(const std::string& json,
                               const std::string& file);

}  // namespace coppice::eval
