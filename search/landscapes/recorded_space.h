// A tuning space that somebody measured in full: what every combination of a
// real kernel's parameters did, as a landscape.  Nothing about it is assumed
// but how agents move in it.
//
// The root stands for a good library: at the 10 % quantile of all times.
// A combination that the record lacks violates the kernel's restrictions, and
// does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "search/landscapes/calibration.h"
#include "search/landscapes/terrain.h"
#include "store/records/verdict.h"

namespace coppice::search {

struct MeasuredConfiguration {
  std::vector<std::string> values;  // One for each parameter.
  Verdict verdict = Verdict::kPassed;
  double time_s = 0.0;  // Of one that passed.
};

// Why a table is no space to search.
struct TableFault {
  std::optional<std::size_t> measurement;  // The one to blame, from 0.
  std::string what;
};

class RecordedSpace {
 public:
  // Parameters of one value are left out.
  static tl::expected<RecordedSpace, TableFault> Make(
      const std::vector<std::string>& parameters,
      const std::vector<MeasuredConfiguration>& measurements);

  struct Parameter {
    std::string name;
    std::vector<std::string> values;  // In order of appearance.
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // A configuration is a number in mixed radix, the first parameter the lowest
  // digit.  Below this:
  std::uint64_t Combinations() const { return combinations_; }

  // The times' 10 % quantile.
  double root_time_s() const { return root_time_s_; }
  double best_log_speedup() const { return best_log_speedup_; }

  // The log speedup that random search has after so many configurations, on
  // average: these are drawn without replacement from those of the record, and
  // the root is there to fall back to.  Exact, by O(configurations) steps.
  // REQUIRES: draws >= 0.
  double ExpectedBest(std::int64_t draws) const;

  // What judging a configuration of the record takes, on average
  // (evaluation_cost.h).
  double MeanEvaluationSeconds() const { return mean_evaluation_s_; }

  // What the record says of a configuration.
  Position At(std::uint64_t configuration) const;

  // The place of its value among the parameter's.
  std::uint64_t ValueOf(std::uint64_t configuration,
                        std::size_t parameter) const;

  // The configuration with one parameter `shift` values on, around the end.
  std::uint64_t Move(std::uint64_t configuration, std::size_t parameter,
                     std::uint64_t shift) const;

 private:
  static tl::expected<std::vector<Parameter>, TableFault> ParametersIn(
      const std::vector<std::string>& names,
      const std::vector<MeasuredConfiguration>& measurements);
  void AddRow(std::uint64_t configuration,
              const MeasuredConfiguration& measured, std::size_t measurements);

  struct Row {
    std::uint64_t configuration;
    Verdict verdict;
    double log_speedup;
  };
  std::vector<Parameter> parameters_;
  std::vector<std::uint64_t> strides_;  // By parameter.
  std::uint64_t combinations_ = 1;
  double root_time_s_ = 0.0;
  double best_log_speedup_ = 0.0;
  double mean_evaluation_s_ = 0.0;
  std::vector<Row> rows_;          // By configuration.
  std::vector<double> ascending_;  // Their log speedups, at least the root's.
};

// What agents bring to a recorded space.
enum class RecordedMode : std::uint8_t {
  kRaw,       // Blind edits of one or two parameters; nothing else fails.
  kInformed,  // Half of the edits are the better one of two.
  kFaults,    // Informed, and code fails about as often as STARK's does.
};
inline constexpr std::array<std::string_view, 3> kRecordedModeNames = {
    "raw", "informed", "faults"};

Parameters ParametersOf(RecordedMode mode);

// A first hop is a random combination; an edit changes one parameter, or two.
std::unique_ptr<Terrain> MakeRecorded(
    std::shared_ptr<const RecordedSpace> space);

}  // namespace coppice::search
