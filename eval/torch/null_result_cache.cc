#include "eval/torch/null_result_cache.h"

#include <system_error>

#include "eval/host/whole_file.h"
#include "eval/sandbox/compile_cache.h"
#include "eval/torch/stored_files.h"
#include "eval/torch/worker.h"

namespace coppice::eval::torch {
namespace {

constexpr char kFindingsFile[] = "findings.json";  // Of the cache's entry.

std::string FindingsKey(const WorkerOptions& worker,
                        const std::string& hardware, const Task& task,
                        const std::string& order) {
  std::string key = "null candidates\n";
  for (const std::string& part :
       {worker.interpreter.executable.string(), worker.interpreter.version,
        worker.interpreter.torch, worker.device, hardware,
        std::to_string(static_cast<int>(task.protocol)),
        TagValue(task.definition, "precision").value_or(""), order,
        task.definition.reference}) {
    key += std::to_string(part.size()) + " " + part + "\n";
  }
  for (const char* script :
       {"adversarial.py", "comparison.py", "gpu_mode.py", "matching.py",
        "problem.py", "mutated_outputs.py"}) {
    key += ReadWhole(worker.scripts / script).value_or("") + "\n";
  }
  return key;
}

}  // namespace

NullResultCache::NullResultCache(const WorkerOptions& worker,
                                 std::uintmax_t cache_bytes,
                                 const std::string& hardware, const Task& task,
                                 const std::string& order)
    : caches_(worker.caches),
      cache_bytes_(cache_bytes),
      key_(FindingsKey(worker, hardware, task, order)),
      has_stored_inputs_(!StoredFiles(task.workloads.front()).empty()) {}

std::string NullResultCache::Find() const {
  const auto cache = CompileCache::Open(caches_, cache_bytes_);
  if (!cache) return "";
  const auto entry = cache->Find(key_);
  return entry ? ReadWhole(*entry / kFindingsFile).value_or("") : "";
}

Result<void> NullResultCache::Keep(const std::string& findings) const {
  if (has_stored_inputs_) return {};
  TRY(cache, CompileCache::Open(caches_, cache_bytes_));
  TRY(build, BuildDirectory::Make(cache.directory()));
  const std::filesystem::path path = build.Product() / kFindingsFile;
  TRY_DONE(WriteWhole(path, findings));
  // An entry's product is never written to, so another comes in its place.
  if (const auto former = cache.Find(key_)) {
    std::error_code gone;
    std::filesystem::remove_all(*former, gone);
  }
  TRY_DONE(cache.Keep(build, key_, kFindingsFile));
  return {};
}

}  // namespace coppice::eval::torch
