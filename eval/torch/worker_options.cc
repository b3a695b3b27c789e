#include "eval/torch/worker_options.h"

#include <unistd.h>

#include "eval/host/machine.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/worker.h"

namespace coppice::eval::torch {

WorkerOptions OptionsFor(const PythonEvaluatorOptions& options,
                         const Interpreter& interpreter,
                         const std::string& device) {
  const std::filesystem::path caches =
      options.cache_directory.empty()
          ? std::filesystem::temp_directory_path() /
                ("coppice-" + std::to_string(getuid()))
          : options.cache_directory;
  return {.interpreter = interpreter,
          .scripts = std::filesystem::absolute(options.scripts),
          .device = device,
          .gpu = IsCpu(device) ? std::nullopt : options.gpu,
          .cache = {},
          .caches = std::filesystem::absolute(caches),
          .extensions = nullptr,
          .threads = options.threads,
          .limits = {.load_s = options.load_timeout_s,
                     .call_s = options.call_timeout_s,
                     .load_grows = options.load_limit_grows,
                     .call_grows = options.call_limit_grows},
          // A device's driver reserves more addresses than there is memory.
          .memory_bytes = IsCpu(device) ? MemoryBytes() : 0,
          .cancelled = options.cancelled};
}

std::string ImportsOf(const std::string& text) {
  return text.find("use_deterministic_algorithms") == std::string::npos
             ? ""
             : "torch._inductor.config";
}

}  // namespace coppice::eval::torch
