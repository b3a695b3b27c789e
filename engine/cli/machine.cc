// coppice db doctor --machine: what this machine has, and what it lacks.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "agents/provider/certificates.h"
#include "engine/campaign/machine_remarks.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/row_sheet.h"
#include "engine/inspector/page_files.h"
#include "engine/process/installation.h"
#include "eval/cuda/nsight.h"
#include "eval/cuda/sanitizer_output.h"
#include "eval/cuda/toolchain.h"
#include "eval/host/devices.h"
#include "eval/host/disturbance.h"
#include "eval/host/nvml.h"
#include "eval/host/waiting.h"
#include "eval/sandbox/compiler.h"
#include "eval/sandbox/sandbox.h"
#include "eval/torch/interpreter.h"
#include "store/records/evaluation.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using engine::Inventory;
using eval::Clock;
using eval::Seconds;

constexpr double kLookSeconds = 1.0;
constexpr double kPieceSeconds = 1e-3;  // A piece of work takes about so long.
constexpr double kCompilerSeconds = 30.0;
constexpr std::uint64_t kAdministrator = std::uint64_t{1}
                                         << 21;  // CAP_SYS_ADMIN

// Steps of a generator, which no compiler leaves out.
double WorkFor(std::uint64_t steps) {
  const auto start = Clock::now();
  volatile std::uint64_t state = 1;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
  }
  return Seconds(Clock::now() - start);
}

void LookForNoise(Inventory& inventory) {
  eval::Disturbance disturbance(eval::ReadSystemText, eval::ProcessorsHere(1));
  constexpr std::uint64_t kSteps = 100'000;
  const auto steps = static_cast<std::uint64_t>(
      kSteps * kPieceSeconds / std::max(WorkFor(kSteps), 1e-6));
  const auto start = Clock::now();
  const auto now_s = [&] { return Seconds(Clock::now() - start); };
  disturbance.Begin(now_s());
  std::vector<double> pieces_s;
  while (now_s() < kLookSeconds) pieces_s.push_back(WorkFor(steps));
  inventory.disturbance = disturbance.Lap(now_s());
  const Quartiles quartiles = QuartilesOf(std::move(pieces_s));
  inventory.spread = (quartiles.upper - quartiles.lower) / quartiles.median;
}

Result<std::string> SandboxHere() {
  TRY_DONE(eval::ProbeSandbox());
  return std::string(eval::ChosenJailer() == eval::Jailer::kBubblewrap
                         ? "bubblewrap"
                         : "coppice's own jail");
}

Result<std::string> CompilerHere(const config::Settings& settings) {
  TRY(compiler, eval::Compiler::Find(settings.cache_directory, kCompilerSeconds,
                                     nullptr));
  return compiler.version();
}

Result<std::vector<Inventory::Gpu>> GpusHere() {
  TRY(all, eval::cuda::Nvml::List());
  const auto visible = eval::VisibleDevices();
  if (!visible && all.empty()) return tl::unexpected<Error>(visible.error());
  std::vector<Inventory::Gpu> gpus;
  for (const eval::cuda::DeviceIdentity& one : all) {
    std::string text = std::to_string(gpus.size()) + ": ";
    text += one.uuid.empty()
                ? "the driver does not reach it"
                : one.name + " " + one.uuid + ", driver " + one.driver_version;
    const bool is_visible =
        visible && std::ranges::find(*visible, one.uuid, &eval::Device::uuid) !=
                       visible->end();
    gpus.push_back({std::move(text), is_visible});
  }
  return gpus;
}

// What the driver keeps for administrators, and whether this user is one: a
// sandbox that is a user's own has none.
bool MayCount() {
  std::ifstream parameters("/proc/driver/nvidia/params");
  bool is_restricted = true;
  for (std::string line; std::getline(parameters, line);) {
    if (line.starts_with("RmProfilingAdminOnly")) {
      is_restricted = !line.ends_with(" 0");
    }
  }
  std::ifstream status("/proc/self/status");
  std::uint64_t capabilities = 0;
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("CapEff:")) continue;
    capabilities = std::stoull(line.substr(7), nullptr, 16);
  }
  return !is_restricted || (capabilities & kAdministrator) != 0;
}

void FindTools(const fs::path& runner, const config::Settings& settings,
               Inventory& inventory) {
  auto toolchain = eval::cuda::Toolchain::Find(
      {.cache_directory = settings.cache_directory,
       .nvrtc = runner.parent_path() / "coppice-nvrtc"});
  if (!toolchain) {
    inventory.toolkit = tl::unexpected<Error>(toolchain.error());
    return;
  }
  const fs::path& folder = toolchain->folder();
  inventory.toolkit = toolchain->version() + " in " + folder.string();
  const fs::path nvcc = folder / "bin/nvcc";
  std::error_code ignored;
  if (fs::exists(nvcc, ignored)) inventory.nvcc = nvcc.string();
  if (const auto found = eval::cuda::FindSanitizers(folder)) {
    inventory.sanitizers = found->string();
  }
  const fs::path nsight = eval::cuda::FindNsight(folder);
  if (!nsight.empty()) inventory.nsight = nsight.string();
  inventory.may_count = MayCount();
}

Result<Inventory::Torch> TorchHere(const std::string& python) {
  TRY(found, eval::torch::FindInterpreter(python));
  std::string text = "torch " + found.torch;
  if (!found.cuda.empty()) text += " for CUDA " + found.cuda;
  if (!found.triton.empty()) text += ", Triton " + found.triton;
  text += ", Python " + found.version + " (" + found.executable.string() + ")";
  return Inventory::Torch{std::move(text), !found.cuda.empty(),
                          !found.triton.empty()};
}

Result<std::string> CertificatesHere() {
  TRY(found, agents::FindCertificates());
  return found.file.empty() ? found.folder : found.file;
}

Inventory TakeInventory(const Invocation& invocation) {
  const config::Settings& settings = invocation.settings();
  const fs::path& runner = invocation.surroundings.runner;
  const auto none = Fail(Errc::kUnavailable, "not found");
  Inventory inventory{.sandbox = SandboxHere(),
                      .compiler = CompilerHere(settings),
                      .disturbance = "",
                      .gpus = GpusHere(),
                      .toolkit = none,
                      .nvcc = none,
                      .sanitizers = {},
                      .nsight = {},
                      .torch = none,
                      .certificates = CertificatesHere(),
                      .has_page = !inspector::PageFiles().empty()};
  inventory.torch = TorchHere(engine::PythonFor(settings.python, runner));
  FindTools(runner, settings, inventory);
  LookForNoise(inventory);
  return inventory;
}

}  // namespace

Result<Exit> LookAtMachine(const Invocation& invocation, Streams& streams) {
  const Inventory inventory = TakeInventory(invocation);
  const std::vector<engine::Remark> remarks = engine::RemarksOn(inventory);
  const bool can_run = engine::CanRunOnProcessor(inventory);
  RowSheet sheet{"machine", {"part", "well", RowColumn("what", "text")}};
  for (const engine::Remark& remark : remarks) {
    sheet.rows.push_back({remark.part, remark.is_well, remark.text});
  }
  if (invocation.Has("json")) {
    PrintDocument({{"can_run", can_run}, {"machine", RowsJson(sheet)}},
                  streams.out);
  } else {
    PrintTable(sheet, streams);
  }
  if (can_run) return Exit::kDone;
  return Fail(Errc::kUnavailable,
              "no campaign can run here: without a sandbox and a C++ compiler "
              "nothing is judged");
}

}  // namespace coppice::cli
