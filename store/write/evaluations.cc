#include "store/write/evaluations.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/connection.h"
#include "store/named.h"
#include "store/records/outcome.h"
#include "store/write/environments.h"

namespace coppice::store {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

std::optional<NodeId> NodeOf(const Judged& judged) {
  const NodeId* node = std::get_if<NodeId>(&judged);
  return node == nullptr ? std::nullopt : std::optional(*node);
}

std::optional<std::string> BaselineOf(const Judged& judged) {
  const std::string* name = std::get_if<std::string>(&judged);
  return name == nullptr ? std::nullopt : std::optional(*name);
}

std::int64_t PutWorkload(Connection& connection, const std::string& uuid) {
  const auto found = connection.Find<std::int64_t>(
      "SELECT workload_id FROM workload WHERE uuid = ?", uuid);
  if (found) return *found;
  connection.Run("INSERT INTO workload (uuid) VALUES (?)", uuid);
  return connection.LastRowId();
}

std::optional<double> At(const std::vector<double>& samples, std::size_t i) {
  if (i >= samples.size()) return std::nullopt;
  return samples[i];
}

// Quartiles, if there are any.
struct Spread {
  explicit Spread(const std::vector<double>& samples) {
    if (samples.empty()) return;
    const Quartiles quartiles = QuartilesOf(samples);
    lower = quartiles.lower;
    median = quartiles.median;
    upper = quartiles.upper;
  }
  std::optional<double> lower;
  std::optional<double> median;
  std::optional<double> upper;
};

void InsertSamples(Connection& connection, std::int64_t evaluation,
                   std::size_t position, const WorkloadResult& result) {
  const std::size_t rounds =
      std::max(result.samples_s.size(), result.root_samples_s.size());
  for (std::size_t i = 0; i < rounds; ++i) {
    const SampleReading reading =
        i < result.readings.size() ? result.readings[i] : SampleReading{};
    connection.Insert(
        "sample",
        "INSERT INTO sample (evaluation_id, position, round_index,"
        " runtime_s, root_runtime_s, control_runtime_s, session, calls,"
        " wall_s, cpu_s, clock_mhz)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        evaluation, position, i, At(result.samples_s, i),
        At(result.root_samples_s, i), At(result.control_samples_s, i),
        reading.session, reading.calls, reading.wall_s, reading.cpu_s,
        reading.clock_mhz);
  }
}

void InsertKernels(Connection& connection, std::int64_t evaluation,
                   std::size_t position,
                   const std::vector<KernelProfile>& kernels) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelProfile& kernel = kernels[i];
    connection.Run(
        "INSERT INTO kernel (evaluation_id, position, place, name, calls,"
        " total_s, registers, shared_bytes, local_bytes, occupancy,"
        " residency_limit, dram_bytes, busy, achieved_occupancy, l2_hits)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        evaluation, position, i, kernel.name, kernel.calls, kernel.total_s,
        kernel.registers, kernel.shared_bytes, kernel.local_bytes,
        kernel.occupancy, kernel.limit, kernel.dram_bytes, kernel.busy,
        kernel.achieved_occupancy, kernel.l2_hits);
  }
}

void InsertProfile(Connection& connection, std::int64_t evaluation,
                   std::size_t position, const Profile& profile) {
  const Counters& counters = profile.counters;
  connection.Run(
      "INSERT INTO profile (evaluation_id, position, shape, runtime_s,"
      " bytes, flops, roof_bytes_per_s, roof_flops_per_s, instructions,"
      " cycles, cache_misses, branch_misses, page_faults, note)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      evaluation, position, profile.shape, profile.runtime_s, profile.bytes,
      profile.flops, profile.roof_bytes_per_s, profile.roof_flops_per_s,
      counters.instructions, counters.cycles, counters.cache_misses,
      counters.branch_misses, counters.page_faults, profile.note);
  InsertKernels(connection, evaluation, position, profile.kernels);
}

void InsertWorkloads(Connection& connection, std::int64_t evaluation,
                     const std::vector<WorkloadResult>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const WorkloadResult& result = results[i];
    const std::int64_t workload = PutWorkload(connection, result.workload);
    const Spread own(result.samples_s);
    const Spread root(result.root_samples_s);
    const std::optional<ProcessSpread>& between = result.between_processes;
    connection.Run(
        "INSERT INTO workload_result (evaluation_id, position,"
        " workload_id, verdict, worst_error_ratio, max_absolute_error,"
        " max_relative_error, calls_verified, lower_quartile_s, median_s,"
        " upper_quartile_s, root_lower_quartile_s, root_median_s,"
        " root_upper_quartile_s, discarded_samples, floor_s, temperature_c,"
        " process_variance, process_freedom) VALUES"
        " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        evaluation, i, workload, result.verdict, result.worst_error_ratio,
        result.max_absolute_error, result.max_relative_error,
        result.calls_verified, own.lower, own.median, own.upper, root.lower,
        root.median, root.upper, result.discarded_samples, result.floor_s,
        result.temperature_c,
        between ? std::optional(between->variance) : std::nullopt,
        between ? std::optional(between->freedom) : std::nullopt);
    InsertSamples(connection, evaluation, i, result);
    if (result.profile) {
      InsertProfile(connection, evaluation, i, *result.profile);
    }
  }
}

void LoadSamples(Connection& connection, std::int64_t evaluation,
                 std::size_t position, WorkloadResult& result) {
  Statement read = connection.Prepare(
      "SELECT runtime_s, root_runtime_s, session, calls, wall_s, cpu_s,"
      " clock_mhz, control_runtime_s"
      " FROM sample WHERE evaluation_id = ? AND position = ?"
      " ORDER BY round_index",
      evaluation, position);
  while (read.Step()) {
    if (!read.IsNull(1)) result.root_samples_s.push_back(read.Real(1));
    if (!read.IsNull(7)) result.control_samples_s.push_back(read.Real(7));
    if (read.IsNull(0)) continue;
    result.samples_s.push_back(read.Real(0));
    result.readings.push_back({read.As<int>(2), read.Int(3),
                               read.OptionalReal(4), read.OptionalReal(5),
                               read.OptionalReal(6)});
  }
}

void LoadKernels(Connection& connection, std::int64_t evaluation,
                 std::size_t position, std::vector<KernelProfile>& kernels) {
  Statement read = connection.Prepare(
      "SELECT name, calls, total_s, registers, shared_bytes, local_bytes,"
      " occupancy, residency_limit, dram_bytes, busy, achieved_occupancy,"
      " l2_hits FROM kernel"
      " WHERE evaluation_id = ? AND position = ? ORDER BY place",
      evaluation, position);
  while (read.Step()) {
    KernelProfile kernel;
    kernel.name = read.Text(0);
    kernel.calls = read.Int(1);
    kernel.total_s = read.OptionalReal(2);
    kernel.registers = read.OptionalInt(3);
    kernel.shared_bytes = read.OptionalInt(4);
    kernel.local_bytes = read.OptionalInt(5);
    kernel.occupancy = read.OptionalReal(6);
    kernel.limit = read.OptionalAs<ResidencyLimit>(7);
    kernel.dram_bytes = read.OptionalReal(8);
    kernel.busy = read.OptionalReal(9);
    kernel.achieved_occupancy = read.OptionalReal(10);
    kernel.l2_hits = read.OptionalReal(11);
    kernels.push_back(std::move(kernel));
  }
}

std::optional<Profile> LoadProfile(Connection& connection,
                                   std::int64_t evaluation,
                                   std::size_t position) {
  Profile profile;
  {
    Statement read = connection.Prepare(
        "SELECT shape, runtime_s, bytes, flops, roof_bytes_per_s,"
        " roof_flops_per_s, instructions, cycles, cache_misses, branch_misses,"
        " page_faults, note FROM profile"
        " WHERE evaluation_id = ? AND position = ?");
    if (!read.Bind(evaluation, position).Step()) return std::nullopt;
    profile.shape = read.Text(0);
    profile.runtime_s = read.Real(1);
    profile.bytes = read.Real(2);
    profile.flops = read.Real(3);
    profile.roof_bytes_per_s = read.Real(4);
    profile.roof_flops_per_s = read.Real(5);
    profile.counters = {read.OptionalReal(6), read.OptionalReal(7),
                        read.OptionalReal(8), read.OptionalReal(9),
                        read.OptionalReal(10)};
    profile.note = read.Text(11);
  }
  LoadKernels(connection, evaluation, position, profile.kernels);
  return profile;
}

std::vector<WorkloadResult> LoadWorkloads(Connection& connection,
                                          std::int64_t evaluation) {
  std::vector<WorkloadResult> results;
  Statement read = connection.Prepare(
      "SELECT w.uuid, r.verdict, r.worst_error_ratio, r.max_absolute_error,"
      " r.max_relative_error, r.calls_verified, r.discarded_samples,"
      " r.floor_s, r.temperature_c, r.process_variance, r.process_freedom"
      " FROM workload_result r"
      " JOIN workload w USING (workload_id) WHERE r.evaluation_id = ?"
      " ORDER BY r.position",
      evaluation);
  while (read.Step()) {
    WorkloadResult result;
    result.workload = read.Text(0);
    result.verdict = read.As<Verdict>(1);
    result.worst_error_ratio = read.OptionalReal(2).value_or(kNotANumber);
    result.max_absolute_error = read.OptionalReal(3).value_or(kNotANumber);
    result.max_relative_error = read.OptionalReal(4).value_or(kNotANumber);
    result.calls_verified = read.Int(5);
    result.discarded_samples = read.Int(6);
    result.floor_s = read.OptionalReal(7);
    result.temperature_c = read.OptionalReal(8);
    if (!read.IsNull(9)) {
      result.between_processes = {read.Real(9), read.Real(10)};
    }
    LoadSamples(connection, evaluation, results.size(), result);
    result.profile = LoadProfile(connection, evaluation, results.size());
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

std::optional<Speedup> SpeedupAt(const Statement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  Speedup speedup{row.Real(column), std::nullopt};
  if (!row.IsNull(column + 1)) {
    speedup.interval = Interval{row.Real(column + 1), row.Real(column + 2)};
  }
  return speedup;
}

SpeedupColumns::SpeedupColumns(const std::optional<Speedup>& speedup) {
  if (!speedup) return;
  ratio = speedup->ratio;
  if (!speedup->interval) return;
  low = speedup->interval->low;
  high = speedup->interval->high;
}

std::int64_t CountEvaluations(Connection& connection, CampaignId campaign,
                              const Judged& judged) {
  return connection.Number(
      "SELECT count(*) FROM evaluation WHERE campaign_id = ?"
      " AND node_number IS ? AND baseline IS ?",
      campaign, NodeOf(judged), BaselineOf(judged));
}

Result<void> InsertEvaluation(Connection& connection, CampaignId campaign,
                              const Judged& judged, std::int64_t ordinal,
                              std::optional<std::int64_t> further,
                              const Evaluation& evaluation, double now_s) {
  TRY(log,
      connection.blobs().PutLike(campaign, TextKind::kLog, evaluation.log));
  std::optional<BlobId> profile;
  if (!evaluation.profile.empty()) {
    TRY(stored, connection.blobs().PutLike(campaign, TextKind::kProfile,
                                           evaluation.profile));
    profile = stored.id;
  }
  const EnvironmentId environment =
      PutEnvironment(connection, evaluation.environment);
  const SpeedupColumns speedup(evaluation.speedup);
  std::optional<std::string> device;
  if (!evaluation.device.empty()) device = evaluation.device;
  const std::optional<Hint>& hint = evaluation.hint;
  std::optional<Breach> breach;
  if (evaluation.breach != Breach::kNone) breach = evaluation.breach;
  connection.Run(
      "INSERT INTO evaluation (campaign_id, node_number, baseline, ordinal,"
      " further, tier, verdict, runtime_s, root_runtime_s, speedup,"
      " speedup_low, speedup_high, compile_s, check_s, timing_s, log_blob,"
      " environment_id, evaluated_at_s, device_s, profile_blob, device,"
      " breach, hint_factor, hint_low, hint_high, hint_samples) VALUES"
      " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
      " ?, ?, ?, ?)",
      campaign, NodeOf(judged), BaselineOf(judged), ordinal, further,
      evaluation.tier, evaluation.verdict, evaluation.runtime_s,
      evaluation.root_runtime_s, speedup.ratio, speedup.low, speedup.high,
      evaluation.compile_s, evaluation.check_s, evaluation.timing_s, log.id,
      environment, now_s, evaluation.device_s, profile, device, breach,
      hint ? std::optional(hint->factor) : std::nullopt,
      hint ? std::optional(hint->low) : std::nullopt,
      hint ? std::optional(hint->high) : std::nullopt,
      hint ? std::optional(hint->samples) : std::nullopt);
  InsertWorkloads(connection, connection.LastRowId(), evaluation.workloads);
  return {};
}

Result<Evaluation> LoadEvaluation(Connection& connection, CampaignId campaign,
                                  const Judged& judged, std::int64_t ordinal) {
  Evaluation evaluation;
  std::int64_t id = 0;
  BlobId log{};
  std::optional<BlobId> profile;
  EnvironmentId environment{};
  {
    Statement read = connection.Prepare(
        "SELECT evaluation_id, tier, verdict, runtime_s, root_runtime_s,"
        " compile_s, check_s, timing_s, log_blob, environment_id, device_s,"
        " profile_blob, speedup, speedup_low, speedup_high, device, breach,"
        " hint_factor, hint_low, hint_high, hint_samples"
        " FROM evaluation WHERE campaign_id = ? AND node_number IS ?"
        " AND baseline IS ? AND ordinal = ?");
    const std::optional<NodeId> node = NodeOf(judged);
    if (!read.Bind(campaign, node, BaselineOf(judged), ordinal).Step()) {
      const std::string name = node ? Named(*node) : *BaselineOf(judged);
      return connection.FailHere(Errc::kCorrupt, name + " has no evaluation");
    }
    id = read.Int(0);
    evaluation.tier = read.As<Tier>(1);
    evaluation.verdict = read.As<Verdict>(2);
    evaluation.runtime_s = read.OptionalReal(3);
    evaluation.root_runtime_s = read.OptionalReal(4);
    evaluation.compile_s = read.Real(5);
    evaluation.check_s = read.Real(6);
    evaluation.timing_s = read.Real(7);
    log = read.As<BlobId>(8);
    environment = read.As<EnvironmentId>(9);
    evaluation.device_s = read.OptionalReal(10);
    profile = read.OptionalAs<BlobId>(11);
    evaluation.speedup = SpeedupAt(read, 12);
    if (!read.IsNull(15)) evaluation.device = read.Text(15);
    if (!read.IsNull(16)) evaluation.breach = read.As<Breach>(16);
    if (!read.IsNull(17)) {
      evaluation.hint =
          Hint{read.Real(17), read.Real(18), read.Real(19), read.Int(20)};
    }
  }
  if (profile) {
    TRY_ASSIGN(evaluation.profile, connection.blobs().Text(*profile));
  }
  TRY_ASSIGN(evaluation.log, connection.blobs().Text(log));
  TRY_ASSIGN(evaluation.environment, LoadEnvironment(connection, environment));
  evaluation.workloads = LoadWorkloads(connection, id);
  return evaluation;
}

}  // namespace coppice::store
