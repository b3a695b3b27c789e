#include "eval/cuda/nsight.h"

#include <algorithm>
#include <cmath>

#include "eval/cuda/profiling.h"
#include "eval/cuda/runner/tool_call.h"
#include "eval/cuda/sanitizers.h"
#include "store/records/parse_number.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::string_view kOwnKernels = "coppice_";
constexpr std::size_t kMostLaunches = 1000;

namespace fs = std::filesystem;

constexpr char kBeside[] = "libcuda-injection.so";
constexpr char kMetrics[] =
    "dram__bytes.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,"
    "sm__warps_active.avg.pct_of_peak_sustained_active,"
    "lts__t_sector_hit_rate.pct,gpu__time_duration.sum";

// VERSION/target/PLATFORM/ncu of an installation's folder, the latest version.
fs::path LatestIn(const fs::path& installation) {
  std::error_code error;
  fs::path latest;
  for (const auto& version : fs::directory_iterator(installation, error)) {
    const fs::path targets = version.path() / "target";
    for (const auto& platform : fs::directory_iterator(targets, error)) {
      const fs::path& folder = platform.path();
      if (fs::exists(folder / "ncu", error) &&
          fs::exists(folder / kBeside, error) &&
          folder.filename().string().ends_with("-x64")) {
        latest = std::max(latest, folder / "ncu");
      }
    }
  }
  return latest;
}

// What ncu complains of first, without its mark and full stop.
std::string Complaint(std::string_view output) {
  for (const std::string_view mark : {"==ERROR== ", "==WARNING== "}) {
    const std::size_t at = output.find(mark);
    if (at == output.npos) continue;
    std::string_view line = output.substr(at + mark.size(), 200);
    line = line.substr(0, line.find('\n'));
    while (line.ends_with('.')) line.remove_suffix(1);
    return std::string(line);
  }
  return "it says nothing";
}

// The fields of one line, every one in quotation marks.  Empty if they are not.
std::vector<std::string> Fields(std::string_view line) {
  std::vector<std::string> fields;
  while (line.starts_with('"')) {
    line.remove_prefix(1);
    std::string field;
    while (true) {
      const std::size_t end = line.find('"');
      if (end == line.npos) return {};
      field += line.substr(0, end);
      line.remove_prefix(end + 1);
      if (!line.starts_with('"')) break;
      field += '"';  // Two stand for one.
      line.remove_prefix(1);
    }
    fields.push_back(std::move(field));
    if (!line.starts_with(',')) break;
    line.remove_prefix(1);
  }
  if (!line.empty()) return {};
  return fields;
}

// "134,217,728", "32.65".
std::optional<double> NumberIn(std::string text) {
  std::erase(text, ',');
  const auto number = ParseNumber<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

class Table {
 public:
  explicit Table(std::vector<std::string> columns)
      : columns_(std::move(columns)) {}

  // Empty if there is no such column.
  std::string Cell(const std::vector<std::string>& row,
                   std::string_view column) const {
    const auto at = static_cast<std::size_t>(
        std::ranges::find(columns_, column) - columns_.begin());
    return at < row.size() && at < columns_.size() ? row[at] : std::string();
  }
  bool Fits(const std::vector<std::string>& row) const {
    return row.size() == columns_.size();
  }

 private:
  std::vector<std::string> columns_;
};

void Add(std::optional<double>& sum, std::optional<double> more) {
  if (more) sum = sum.value_or(0.0) + *more;
}

// A share over the launches that tell it: of no access there is none.
struct MeanShare {
  double percent = 0.0;
  int launches = 0;

  void Add(std::optional<double> more) {
    if (!more) return;
    percent += *more;
    ++launches;
  }
  std::optional<double> Mean() const {
    if (launches == 0) return std::nullopt;
    return percent / 100.0 / launches;
  }
};

struct Shares {
  MeanShare busy;
  MeanShare achieved_occupancy;
  MeanShare l2_hits;
};

void AddLaunch(const Table& table, const std::vector<std::string>& row,
               KernelProfile& kernel, Shares& shares) {
  const auto share = [&](const char* column) {
    return NumberIn(table.Cell(row, column));
  };
  std::optional<double> seconds =
      NumberIn(table.Cell(row, "gpu__time_duration.sum"));
  if (seconds) *seconds *= 1e-9;
  ++kernel.calls;
  Add(kernel.total_s, seconds);
  Add(kernel.dram_bytes, NumberIn(table.Cell(row, "dram__bytes.sum")));
  shares.busy.Add(share("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  shares.achieved_occupancy.Add(
      share("sm__warps_active.avg.pct_of_peak_sustained_active"));
  shares.l2_hits.Add(share("lts__t_sector_hit_rate.pct"));
}

}  // namespace

fs::path FindNsight(const fs::path& toolkit) {
  for (const fs::path& place : {toolkit, fs::path("/opt/nvidia/nsight-compute"),
                                fs::path("/usr/lib/nsight-compute")}) {
    if (fs::path found = LatestIn(place); !found.empty()) return found;
  }
  return {};
}

fs::path NsightFolder(const fs::path& program) {
  return program.parent_path().parent_path().parent_path();
}

std::vector<std::string> NsightCommand(const fs::path& program) {
  return {program.string(),
          "--clock-control",
          "none",
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--print-kernel-base",
          "mangled",
          "--metrics",
          kMetrics};
}

Result<Counted> Count(const RunnerOptions& options, const fs::path& program,
                      const Rehearsal& rehearsal, double timeout_s) {
  Counted counted;
  if (program.empty()) {
    counted.note = kNoNsight;
    return counted;
  }
  TRY(watched, ProgramOf(options, rehearsal));
  const fs::path folder = NsightFolder(program);
  watched.program.binds.push_back({folder, folder.string()});
  watched.program.environment.emplace_back("HOME", "/tmp");
  watched.program.arguments = NsightCommand(program);
  watched.program.arguments.insert(watched.program.arguments.end(),
                                   {kRunnerInside, kRehearseProfiled});
  TRY(process, Sandboxed::Launch(watched.program));
  const Waited waited = process.Wait(For(timeout_s, options.cancelled));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  if (waited == Waited::kTimedOut) {
    process.Kill();
    counted.note = kLateNsight;
    return counted;
  }
  return CountedIn(process.Output());
}

Counted CountedIn(std::string_view output) {
  Counted counted{.kernels = ParseNsight(output), .note = {}};
  if (counted.kernels.empty()) {
    counted.note =
        "Nsight Compute counts nothing here: " + Complaint(output) + ".";
  }
  return counted;
}

std::vector<KernelProfile> ParseNsight(std::string_view output) {
  std::optional<Table> table;
  std::vector<KernelProfile> kernels;
  std::vector<Shares> shares;  // By kernel.
  std::size_t launches = 0;
  while (!output.empty() && launches < kMostLaunches) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::vector<std::string> row = Fields(line);
    if (row.empty()) continue;
    if (row.front() == "ID") table.emplace(row);
    if (!table || !table->Fits(row) || !NumberIn(row.front())) continue;
    const std::string name = table->Cell(row, "Kernel Name");
    if (name.empty() || name.starts_with(kOwnKernels)) continue;
    auto found = std::ranges::find(kernels, name, &KernelProfile::name);
    if (found == kernels.end()) {
      kernels.emplace_back().name = name;
      shares.emplace_back();
      found = std::prev(kernels.end());
    }
    AddLaunch(*table, row, *found,
              shares[static_cast<std::size_t>(found - kernels.begin())]);
    ++launches;
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].busy = shares[i].busy.Mean();
    kernels[i].achieved_occupancy = shares[i].achieved_occupancy.Mean();
    kernels[i].l2_hits = shares[i].l2_hits.Mean();
  }
  return kernels;
}

void AddCounters(const std::vector<KernelProfile>& counted,
                 std::vector<KernelProfile>& kernels) {
  for (const KernelProfile& from : counted) {
    const auto to =
        std::ranges::find(kernels, PlainName(from.name), &KernelProfile::name);
    if (to == kernels.end()) continue;
    to->dram_bytes = from.dram_bytes;
    to->busy = from.busy;
    to->achieved_occupancy = from.achieved_occupancy;
    to->l2_hits = from.l2_hits;
  }
}

}  // namespace coppice::eval::cuda
