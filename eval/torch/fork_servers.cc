#include "eval/torch/fork_servers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "eval/sandbox/asked_jailer.h"
#include "eval/sandbox/fork_server.h"
#include "eval/sandbox/sandbox.h"
#include "eval/torch/worker.h"
#include "eval/torch/worker_sandbox.h"

namespace coppice::eval::torch {
namespace {

// What a library reads when it is loaded; the rest a worker is told later.
bool IsReadAtOnce(const std::pair<std::string, std::string>& variable) {
  const std::string& name = variable.first;
  return !name.starts_with("TRITON_") && !name.starts_with("TORCHINDUCTOR_") &&
         !name.starts_with("CUDA_") && !name.starts_with("COPPICE_");
}

}  // namespace

Result<std::shared_ptr<ForkServer>> ForkServerFor(
    const WorkerOptions& options, const SandboxedProgram& program) {
  if (ChosenJailer() != Jailer::kOwn) return nullptr;
  using Key = std::pair<std::vector<std::string>,
                        std::vector<std::pair<std::string, std::string>>>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<ForkServer>> servers;
  Key key = {{options.interpreter.executable.string(), "-s", "-B",
              (options.scripts / "fork_server.py").string()},
             {}};
  std::ranges::copy_if(program.environment, std::back_inserter(key.second),
                       IsReadAtOnce);
  const std::lock_guard lock(mutex);
  std::shared_ptr<ForkServer>& server = servers[key];
  if (server == nullptr || server->HasEnded()) {
    TRY_ASSIGN(server, ForkServer::Start(key.first, key.second));
  }
  return server;
}

Result<void> StartForkServers(const WorkerOptions& options) {
  for (const WorkerRole role : {WorkerRole::kProblem, WorkerRole::kKernel}) {
    TRY_DONE(ForkServerFor(options, SandboxOf(options, role)));
  }
  return {};
}

}  // namespace coppice::eval::torch
