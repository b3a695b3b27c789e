// What null candidates did on a problem, kept in the cache of compilations: it
// holds as long as the problem's text, its protocol, torch and the machine stay
// what they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "store/records/result.h"

namespace coppice {
struct Task;
}

namespace coppice::eval::torch {

struct WorkerOptions;

class NullResultCache {
 public:
  // `order`: as NullsOrder() has it.  `hardware` is what the worker runs on.
  NullResultCache(const WorkerOptions& worker, std::uintmax_t cache_bytes,
                  const std::string& hardware, const Task& task,
                  const std::string& order);

  // The findings as Problem::JudgeNulls found them; empty if none are kept.
  std::string Find() const;

  // Replaces what is kept.  Keeps nothing of a task with stored inputs: another
  // process may write to these files.
  Result<void> Keep(const std::string& findings) const;

 private:
  std::filesystem::path caches_;
  std::uintmax_t cache_bytes_;
  std::string key_;
  bool has_stored_inputs_;
};

}  // namespace coppice::eval::torch
