#include "eval/cuda/profiling.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

#include "eval/cuda/bench.h"
#include "eval/cuda/cubin.h"
#include "eval/cuda/device_roofline.h"
#include "eval/cuda/nsight.h"
#include "eval/cuda/occupancy.h"
#include "eval/host/whole_file.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/operation_count.h"
#include "store/records/evaluation.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::size_t kLongestName = 60;
constexpr std::uint64_t kMostThreads = 1024;  // Of a block.

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

std::string NameOf(const KernelTime& kernel) {
  return PlainName({kernel.name.begin(), std::ranges::find(kernel.name, '\0')});
}

KernelProfile& Of(std::vector<KernelProfile>& kernels,
                  const std::string& name) {
  const auto found = std::ranges::find(kernels, name, &KernelProfile::name);
  if (found != kernels.end()) return *found;
  kernels.emplace_back().name = name;
  return kernels.back();
}

void AddOccupancy(const Multiprocessor& multiprocessor, const BlockNeeds& block,
                  KernelProfile& kernel) {
  if (block.threads < 1 || block.threads > kMostThreads ||
      multiprocessor.threads == 0) {
    return;
  }
  const Occupancy occupancy = OccupancyOf(multiprocessor, block);
  // The smallest of its launches.
  if (kernel.occupancy && *kernel.occupancy <= occupancy.share) return;
  kernel.occupancy = occupancy.share;
  kernel.limit = occupancy.limit;
}

std::vector<KernelFacts> FactsOf(const std::filesystem::path& cubin) {
  const std::string code = ReadWhole(cubin).value_or("");
  return ReadCubin(code).value_or(std::vector<KernelFacts>());
}

bool HasHalves(const Shapes& shapes) {
  return std::ranges::any_of(shapes.inputs, [](const TensorShape& shape) {
    return shape.dtype == DType::kFloat16 || shape.dtype == DType::kBFloat16;
  });
}

void AddSentence(const std::string& sentence, std::string& note) {
  if (sentence.empty()) return;
  note += (note.empty() ? "" : " ") + sentence;
}

}  // namespace

std::string PlainName(std::string symbol) {
  int status = -1;
  const std::unique_ptr<char, FreeText> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
  if (status == 0 && plain != nullptr) {
    symbol = plain.get();
    symbol.resize(std::min(symbol.size(), symbol.rfind('(')));
    if (symbol.starts_with("void ")) symbol.erase(0, 5);
  }
  if (symbol.size() > kLongestName) {
    symbol = symbol.substr(0, kLongestName) + "...";
  }
  return symbol;
}

std::vector<KernelProfile> PlannedKernels(
    const std::vector<Launch>& launches, const std::vector<KernelFacts>& facts,
    const Multiprocessor& multiprocessor) {
  std::vector<KernelProfile> kernels;
  for (const Launch& launch : launches) {
    KernelProfile& kernel = Of(kernels, launch.kernel.data());
    ++kernel.calls;
    const auto fact = std::ranges::find(facts, kernel.name, &KernelFacts::name);
    if (fact == facts.end()) continue;
    const std::uint64_t shared = fact->shared_bytes + launch.shared_bytes;
    kernel.registers = fact->registers;
    kernel.local_bytes = static_cast<std::int64_t>(fact->local_bytes);
    kernel.shared_bytes = std::max(kernel.shared_bytes.value_or(0),
                                   static_cast<std::int64_t>(shared));
    const std::uint64_t threads =
        std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    AddOccupancy(multiprocessor, {threads, fact->registers, shared}, kernel);
  }
  return kernels;
}

void AddTimes(const KernelInventory& inventory,
              const Multiprocessor& multiprocessor,
              std::vector<KernelProfile>& kernels) {
  const std::size_t count =
      std::min<std::size_t>(inventory.kernels, inventory.kernel.size());
  for (std::size_t i = 0; i < count; ++i) {
    const KernelTime& time = inventory.kernel[i];
    KernelProfile& kernel = Of(kernels, NameOf(time));
    kernel.calls = static_cast<std::int64_t>(time.calls);
    kernel.total_s = static_cast<double>(time.total_ns) * 1e-9;
    if (inventory.tracer != Tracer::kCupti || kernel.registers) continue;
    const std::uint64_t shared =
        std::uint64_t{time.static_shared_bytes} + time.dynamic_shared_bytes;
    kernel.registers = time.registers;
    kernel.shared_bytes = static_cast<std::int64_t>(shared);
    kernel.local_bytes = time.local_bytes;
    AddOccupancy(multiprocessor, {time.block_threads, time.registers, shared},
                 kernel);
  }
}

Result<Profile> ProfileOf(const CudaBench& bench,
                          const DeviceIdentity& identity,
                          const Abilities& abilities,
                          const WorkloadResult& result) {
  TRY(work,
      LeastWork(bench.task().definition, bench.workload(), bench.shapes()));
  Profile profile;
  profile.shape = ShapeText(bench.workload());
  profile.runtime_s = Median(result.samples_s);
  profile.roof_bytes_per_s = static_cast<double>(abilities.copy_bytes_per_s);
  profile.roof_flops_per_s = static_cast<double>(abilities.fma_flops);
  profile.bytes = LeastBytes(bench.shapes(), abilities);
  profile.flops = work.flops;
  const double peak = PeakFlops(identity, abilities, bench.shapes());
  if (HasHalves(bench.shapes()) && peak > 0.0) {
    profile.roof_flops_per_s = peak;
    profile.note = "The peak is that of tensor cores, by the data sheet.";
  }
  return profile;
}

Result<void> FillProfiles(
    const std::vector<std::unique_ptr<CudaBench>>& benches,
    const std::vector<RunnerProgram>& assignments,
    const DeviceIdentity& identity, const Abilities& abilities,
    const Traced& traced, Evaluation& evaluation) {
  const Multiprocessor& multiprocessor = abilities.multiprocessor;
  std::vector<KernelFacts> facts;
  if (assignments.front().part == Part::kDeviceCode) {
    facts = FactsOf(assignments.front().code);
  }
  std::vector<Profile> profiles;
  for (std::size_t i = 0; i < evaluation.workloads.size(); ++i) {
    WorkloadResult& result = evaluation.workloads[i];
    TRY(profile, ProfileOf(*benches[i], identity, abilities, result));
    profile.kernels =
        PlannedKernels(assignments[i].launches, facts, multiprocessor);
    if (result.profile) {
      for (const KernelProfile& timed : result.profile->kernels) {
        Of(profile.kernels, timed.name).total_s = timed.total_s;
      }
    }
    if (i < traced.inventories.size()) {
      AddTimes(traced.inventories[i], multiprocessor, profile.kernels);
    }
    if (i == traced.counted_workload) {
      AddCounters(traced.counted, profile.kernels);
    }
    if (profile.kernels.size() == 1 && profile.kernels[0].calls == 1 &&
        !profile.kernels[0].total_s) {
      profile.kernels[0].total_s = profile.runtime_s;
    }
    AddSentence(traced.note, profile.note);
    profiles.push_back(profile);
    result.profile = std::move(profile);
  }
  evaluation.profile = Digest(profiles);
  return {};
}

}  // namespace coppice::eval::cuda
