// A table of a tuning space that is being measured, in the form that landscapes
// read (data/tuning_spaces/README.md).  A line is in the file as soon as its
// configuration was measured, so whoever is stopped goes on where it ended.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "store/records/evaluation.h"
#include "store/records/result.h"
#include "store/records/tuning.h"

namespace coppice::cli {

class TuningTable {
 public:
  // Begins the file, or goes on with one of the same columns; kUsage if it has
  // others.
  static Result<TuningTable> Open(const std::filesystem::path& path,
                                  std::span<const TuningParameter> parameters);

  bool Has(const Configuration& configuration) const;
  std::size_t Size() const { return measured_.size(); }

  // A time is that of the root over the speedup, since a machine drifts; the
  // root's is what the first line that passed says.  False: it is inconclusive,
  // and left out.
  Result<bool> Add(const Configuration& configuration,
                   const Evaluation& evaluation);

 private:
  TuningTable(std::filesystem::path path,
              std::span<const TuningParameter> parameters)
      : path_(std::move(path)), parameters_(parameters) {}
  std::string Fields(const Configuration& configuration) const;
  Result<void> Read(const std::string& header, std::istream& lines);

  std::filesystem::path path_;
  std::span<const TuningParameter> parameters_;
  std::ofstream file_;
  std::optional<double> root_ms_;
  std::set<std::string, std::less<>> measured_;  // "64,4,"
};

}  // namespace coppice::cli
