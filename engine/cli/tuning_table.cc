#include "engine/cli/tuning_table.h"

#include <cstdlib>
#include <istream>
#include <utility>

#include "engine/documents/csv.h"

namespace coppice::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMeasured = "status,time_ms,speedup,samples";

// The words are those of the README.
std::string_view StatusOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "ok";
    case Verdict::kCompileFailed:
      return "compile_failed";
    case Verdict::kWrongOutput:
      return "wrong_output";
    case Verdict::kTimedOut:
      return "timed_out";
    case Verdict::kRejected:
    case Verdict::kNoCandidate:
      return "invalid";
    case Verdict::kCrashed:
    case Verdict::kInconclusive:
      break;
  }
  return "runtime_failed";
}

std::size_t SamplesOf(const Evaluation& evaluation) {
  std::size_t samples = 0;
  for (const WorkloadResult& result : evaluation.workloads) {
    samples += result.samples_s.size();
  }
  return samples;
}

// "ok,0.25,4,30" gives the time times the speedup, as written; other texts give
// none.
std::optional<double> RootOf(const std::string& measured) {
  if (!measured.starts_with("ok,")) return std::nullopt;
  const char* const begin = measured.c_str() + 3;
  char* end = nullptr;
  const double time = std::strtod(begin, &end);
  if (end == begin || *end != ',') return std::nullopt;
  const double speedup = std::strtod(end + 1, nullptr);
  return speedup > 0.0 ? std::optional(time * speedup) : std::nullopt;
}

}  // namespace

Result<TuningTable> TuningTable::Open(
    const fs::path& path, std::span<const TuningParameter> parameters) {
  TuningTable table(path, parameters);
  std::string header;
  for (const TuningParameter& each : parameters) header += each.name + ",";
  header += kMeasured;
  const bool is_new = !fs::exists(path);
  if (!is_new) {
    std::ifstream lines(path);
    TRY_DONE(table.Read(header, lines));
  }
  table.file_.open(path, std::ios::app);
  if (is_new) table.file_ << header << "\n" << std::flush;
  if (!table.file_) {
    return Fail(Errc::kIo, path.string() + ": cannot be written");
  }
  return table;
}

Result<void> TuningTable::Read(const std::string& header, std::istream& lines) {
  std::string line;
  if (!std::getline(lines, line) || line != header) {
    return Fail(Errc::kUsage, path_.string() +
                                  ": is no table of these parameters; its "
                                  "first line would be " +
                                  header);
  }
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    std::size_t end = 0;  // Of the parameters' fields, with their commas.
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      end = line.find(',', end);
      if (end == std::string::npos) break;
      ++end;
    }
    if (end == std::string::npos || lines.eof()) {
      return Fail(Errc::kUsage, path_.string() + ":" + std::to_string(number) +
                                    ": is not a whole line of the table");
    }
    measured_.insert(line.substr(0, end));
    if (!root_ms_) root_ms_ = RootOf(line.substr(end));
  }
  return {};
}

std::string TuningTable::Fields(const Configuration& configuration) const {
  std::string fields;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    fields += std::to_string(parameters_[i].choices[configuration[i]]) + ",";
  }
  return fields;
}

bool TuningTable::Has(const Configuration& configuration) const {
  return measured_.contains(Fields(configuration));
}

Result<bool> TuningTable::Add(const Configuration& configuration,
                              const Evaluation& evaluation) {
  if (evaluation.verdict == Verdict::kInconclusive) return false;
  std::string fields = Fields(configuration);
  file_ << fields << StatusOf(evaluation.verdict) << ",";
  if (evaluation.speedup) {
    if (!root_ms_) root_ms_ = *evaluation.root_runtime_s * 1e3;
    file_ << CsvNumber(*root_ms_ / evaluation.speedup->ratio) << ","
          << CsvNumber(evaluation.speedup->ratio) << ","
          << SamplesOf(evaluation) << "\n";
  } else {
    file_ << ",,\n";
  }
  file_.flush();
  if (!file_) return Fail(Errc::kIo, path_.string() + ": cannot be written");
  measured_.insert(std::move(fields));
  return true;
}

}  // namespace coppice::cli
