// A whole trace set in memory, as reports and merges need it; LoadTask of
// trace_set.h reads one task.
//
// As FlashInfer-Bench reads one: solutions, workloads and traces of unknown
// definitions are no errors, nor are workloads that do not fit theirs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "eval/formats/trace.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// A document, and the text that FlashInfer-Bench writes of it.
template <class T>
struct Filed {
  T value;
  std::string text;
  std::filesystem::path file{};  // Its file; empty: it was read from none.
};

Filed<Definition> FiledOf(Definition definition);
Filed<Solution> FiledOf(Solution solution);

// Times of a workload on an NVIDIA B200: at the speed of light, as
// SOL-ExecBench estimates it, and of its optimised baseline.
struct QuotedTimes {
  double sol_ms = 0.0;
  double baseline_ms = 0.0;
};

struct TraceSet {
  std::map<std::string, Filed<Definition>> definitions;  // By name.
  std::map<std::string, Filed<Solution>> solutions;      // By name.
  std::vector<Trace> workloads;  // In the order of files and lines.
  std::vector<Trace> traces;
  // The safetensors files that are there, by path relative to the set.
  std::map<std::string, std::filesystem::path> blobs;
  // Bounds by definition and workload; SOL-ExecBench alone has them.  They are
  // not written.
  std::map<std::string, std::map<std::string, QuotedTimes>> bounds;
};

// Errors name file, place and what is wrong with it.  kNotFound: none of its
// folders is there.
Result<TraceSet> LoadTraceSet(const std::filesystem::path& root);

// Adds what is not there yet; of equal traces and workloads only one stays.
// kUsage: a name or uuid stands for two things.
Result<void> Merge(TraceSet from, TraceSet& into);

struct WrittenFiles {
  std::size_t files = 0;
  std::size_t blobs = 0;
};

// To a directory that is empty, or not there yet, in FlashInfer-Bench's layout:
//   definitions/OP_TYPE/NAME.json solutions/AUTHOR/OP_TYPE/DEFINITION/NAME.json
//   workloads/OP_TYPE/DEFINITION.jsonl  traces/AUTHOR/OP_TYPE/DEFINITION.jsonl
// kUsage: a name cannot be a file's, or something is of no definition.
Result<WrittenFiles> WriteTraceSet(const TraceSet& set,
                                   const std::filesystem::path& root);

}  // namespace coppice::eval
