#include "eval/torch/worker_sandbox.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "eval/cuda/runner_process.h"
#include "eval/host/shared_memory.h"
#include "eval/sandbox/filter.h"
#include "eval/torch/stored_files.h"
#include "eval/torch/worker.h"

namespace coppice::eval::torch {
namespace {

constexpr char kCache[] = "/cache";  // In the sandbox, as in compiling.py.
constexpr char kProvided[] = "/provisions";
constexpr std::size_t kTmpBytes = std::size_t{256} << 20;
constexpr std::size_t kToolsTmpBytes = std::size_t{1} << 30;

// Where the loader would not look for it by itself.
void AddDriver(SandboxedProgram& program) {
  const auto driver = cuda::FindDriver();
  if (!driver) return;  // Torch will say what it misses.
  if (!driver->string().starts_with("/usr/lib")) {
    program.binds.push_back({*driver, driver->string()});
  }
  program.environment.emplace_back("LD_LIBRARY_PATH", driver->string());
  program.environment.emplace_back("TRITON_LIBCUDA_PATH", driver->string());
}

void AddDevices(const WorkerOptions& options, SandboxedProgram& program) {
  for (const char* node : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    program.binds.push_back({node, node, BindMode::kDevice});
  }
  if (IsCpu(options.device)) return;
  AddDriver(program);
  if (options.gpu) {
    program.environment.emplace_back("CUDA_VISIBLE_DEVICES", options.gpu->uuid);
  }
  for (const auto& entry : std::filesystem::directory_iterator("/dev")) {
    const std::string path = entry.path().string();
    if (!path.starts_with("/dev/nvidia") || entry.is_directory()) continue;
    program.binds.push_back({path, path, BindMode::kDevice});
  }
}

void AddCaches(SandboxedProgram& program) {
  for (const auto& [variable, folder] :
       {std::pair{"TRITON_CACHE_DIR", "/triton"},
        std::pair{"TORCHINDUCTOR_CACHE_DIR", "/inductor"}}) {
    program.environment.emplace_back(variable, std::string(kCache) + folder);
  }
}

void AddCompilers(SandboxedProgram& program) {
  for (const char* folder : {"/usr/bin", "/usr/include", "/usr/libexec",
                             "/etc/alternatives", "/usr/local/cuda"}) {
    std::error_code gone;
    if (!std::filesystem::exists(folder, gone)) continue;
    program.binds.push_back({std::filesystem::canonical(folder), folder});
  }
  program.binds.push_back({"/usr/bin", "/bin"});
}

void PutUnder(const WatchTool& tool, SandboxedProgram& program) {
  program.arguments.insert(program.arguments.begin(), tool.command.begin(),
                           tool.command.end());
  for (const auto& variable : tool.environment) {
    program.environment.push_back(variable);
  }
  for (const Bind& bind : tool.binds) program.binds.push_back(bind);
  program.tmp_bytes = kToolsTmpBytes;
}

const char* NameOf(WorkerRole role) {
  switch (role) {
    case WorkerRole::kProblem:
      return "problem";
    case WorkerRole::kKernel:
      return "kernel";
    case WorkerRole::kBuilder:
      return "builder";
    case WorkerRole::kProvider:
      return "provider";
    case WorkerRole::kWatched:
      return "watched";
  }
  return "";
}

}  // namespace

SandboxedProgram SandboxOf(const WorkerOptions& options, WorkerRole role) {
  const std::string scripts = options.scripts.string();
  SandboxedProgram program{
      .arguments = {options.interpreter.executable.string(), "-s", "-B",
                    scripts + "/worker.py", NameOf(role)},
      .environment = {{"PYTHONPATH", options.interpreter.path},
                      {"HOME", "/tmp"},
                      {"USER", "coppice"},  // torch.compile asks.
                      // Where there are no compilers, too: a part of the
                      // flags by which torch.compile finds what it has built.
                      {"CUDA_HOME", "/usr/local/cuda"},
                      {"PATH", "/usr/bin"},
                      // Some microseconds: threads that wake on one processor
                      // keep each other from it as long as one spins.
                      {"GOMP_SPINCOUNT", "2000"},
                      {"OMP_NUM_THREADS", std::to_string(options.threads)}},
      .binds = {{scripts, scripts}},
      .descriptors = {},
      .tmp_bytes = kTmpBytes};
  if (!options.imports.empty()) {
    program.environment.emplace_back("COPPICE_IMPORTS", options.imports);
  }
  program.own_proc = true;
  for (const std::filesystem::path& folder : options.interpreter.folders) {
    program.binds.push_back({folder, folder.string()});
  }
  AddDevices(options, program);
  // A builder's, too: it rehearses as a kernel worker does.
  if ((role == WorkerRole::kKernel || role == WorkerRole::kBuilder) &&
      !IsCpu(options.device)) {
    program.environment.emplace_back("LD_PRELOAD",
                                     scripts + "/device_memory.so");
  }
  if (!options.cache.empty()) {
    program.binds.push_back({options.cache, kCache,
                             role == WorkerRole::kBuilder
                                 ? BindMode::kWritable
                                 : BindMode::kReadOnly});
    AddCaches(program);
  }
  if (!options.provided.empty()) {
    program.binds.push_back({options.provided, kProvided,
                             role == WorkerRole::kProvider
                                 ? BindMode::kWritable
                                 : BindMode::kReadOnly});
  }
  for (std::size_t i = 0;
       role == WorkerRole::kProblem && i < options.stored.size(); ++i) {
    program.binds.push_back({options.stored[i], StoredFileInWorker(i)});
  }
  if (role == WorkerRole::kBuilder || role == WorkerRole::kProvider)
    AddCompilers(program);
  if (role == WorkerRole::kWatched) PutUnder(options.tool, program);
  return program;
}

Result<UniqueFd> FilterOf(const WorkerOptions& options, WorkerRole role) {
  TRY(file, CreateMemoryFile("filter"));
  if (role == WorkerRole::kKernel &&
      !ExportFilter(
          IsCpu(options.device) ? Devices::kPython : Devices::kPythonCuda,
          file.get())) {
    return Fail(Errc::kUnavailable, "seccomp: no filter can be made");
  }
  return file;
}

}  // namespace coppice::eval::torch
