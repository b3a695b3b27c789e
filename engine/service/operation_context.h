// What operations on kernels share: who judges, what is known from before, and
// the jobs that wait for it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/service/evaluator_pool.h"
#include "engine/service/jobs.h"
#include "store/records/result.h"
#include "store/write/verdict_cache.h"

namespace coppice::service {

class Service;

// Removes what lies in the folder and was not written for a week.
void RemoveOld(const std::filesystem::path& folder);

class OperationContext {
 public:
  explicit OperationContext(Service& service);

  EvaluatorPool& evaluator_pool() { return evaluator_pool_; }
  store::VerdictCache& verdicts() { return verdicts_; }
  Jobs& jobs() { return jobs_; }

  // Writes what is too long for an answer to a file of that name, which stays
  // for a week, and returns its path; empty if it cannot be written.
  std::string Leave(const std::string& name, const std::string& text) const;

 private:
  const std::filesystem::path files_;
  EvaluatorPool evaluator_pool_;
  store::VerdictCache verdicts_;
  Jobs jobs_;  // Last: its threads need all of the above.
};

// By which files of equal texts have equal names, and others do not.
std::string TextAddress(std::string_view text);

// The service's own, made when it is first needed.
OperationContext& OperationContextOf(Service& service);

}  // namespace coppice::service
