// Lists of kernels that others publish: a JSON array of objects, an object on
// each line (JSONL), or an object of such arrays by level ({"1": [...], ...}).
// Which members hold what differs; the usual names are guessed, and any other
// can be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval {

// Names of members.  An empty one is guessed: the first of the usual names that
// any entry has.  All but the source may be missing.
struct ListFields {
  std::string source{};
  std::string speedup{};  // Over whatever the list compares with.
  std::string runtime{};
  std::string correct{};  // A bool.
  std::string level{};
  std::string problem{};
};

struct ListedKernel {
  std::int64_t entry = 0;  // In the file, from 1.
  std::string source;
  // Unset: absent, null, or no positive number.
  std::optional<double> speedup;
  std::optional<double> runtime;  // In the file's unit.
  std::optional<bool> correct;
  std::optional<std::int64_t> level;
  std::optional<std::int64_t> problem;
};

struct KernelList {
  ListFields fields;  // As told or found; empty: no entry has it.
  std::vector<ListedKernel> kernels;
  std::int64_t without_source = 0;  // Entries: null or empty.
};

// Errors are kCorrupt and name the file, and the line or entry.
Result<KernelList> ParseKernelList(const std::string& text,
                                   const std::string& file,
                                   const ListFields& told);

}  // namespace coppice::eval
