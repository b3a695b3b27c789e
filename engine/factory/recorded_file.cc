#include "engine/factory/recorded_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "store/records/nearest_name.h"
#include "store/records/parse_number.h"
#include "store/zstd_file.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargest_bytes = std::size_t{1} << 30;

constexpr std::array<std::pair<std::string_view, Verdict>, 6> kStatuses = {{
    {"ok", Verdict::kPassed},
    {"compile_failed", Verdict::kCompileFailed},
    {"invalid", Verdict::kCompileFailed},
    {"runtime_failed", Verdict::kCrashed},
    {"wrong_output", Verdict::kWrongOutput},
    {"timed_out", Verdict::kTimedOut},
}};

// Where something is wrong; lines count from 1.
tl::unexpected<Error> Wrong(const fs::path& file, std::size_t line,
                            const std::string& what) {
  return Fail(Errc::kUsage,
              file.string() + ":" + std::to_string(line) + ": " + what);
}

Result<std::string> ReadBytes(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code error;
  if (!stream || fs::is_directory(file, error)) {
    const bool exists = fs::exists(file, error);
    return Fail(
        exists ? Errc::kIo : Errc::kNotFound,
        file.string() + ": " + (exists ? "cannot be read" : "no such file"));
  }
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) return Fail(Errc::kIo, file.string() + ": cannot be read");
  return bytes;
}

std::vector<std::string> Fields(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// Takes the next line off `rest`, without what ends it, LF or CR LF.
std::string_view NextLine(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Columns {
  std::vector<std::string> names;
  std::size_t status = 0;  // Parameters are the columns before it.
  std::size_t time = 0;
};

Result<Columns> ReadHeader(const fs::path& file, std::string_view line) {
  if (line.empty()) return Wrong(file, 1, "expected column names");
  Columns columns;
  columns.names = Fields(line);
  const auto& names = columns.names;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->empty()) return Wrong(file, 1, "a column has no name");
    if (std::find(names.begin(), name, *name) != name) {
      return Wrong(file, 1, "two columns are named " + *name);
    }
  }
  const auto find = [&](const char* name) {
    return static_cast<std::size_t>(
        std::find(names.begin(), names.end(), name) - names.begin());
  };
  columns.status = find("status");
  columns.time = find("time_ms");
  if (columns.status == names.size()) return Wrong(file, 1, "no column status");
  if (columns.status == 0) {
    return Wrong(file, 1, "no column of a parameter before status");
  }
  if (columns.time == names.size() || columns.time < columns.status) {
    return Wrong(file, 1, "no column time_ms after status");
  }
  return columns;
}

std::optional<double> ReadPositive(std::string_view text) {
  const auto number = ParseNumber<double>(text);
  const bool is_positive = number && std::isfinite(*number) && *number > 0.0;
  return is_positive ? number : std::nullopt;
}

Result<search::MeasuredConfiguration> ReadMeasurement(const fs::path& file,
                                                      std::size_t number,
                                                      std::string_view line,
                                                      const Columns& columns) {
  if (line.find('"') != std::string_view::npos) {
    return Wrong(file, number, "quoted fields are not supported");
  }
  std::vector<std::string> fields = Fields(line);
  if (fields.size() != columns.names.size()) {
    return Wrong(file, number,
                 "expected " + std::to_string(columns.names.size()) +
                     " fields, found " + std::to_string(fields.size()));
  }
  const std::string& status = fields[columns.status];
  const auto* known =
      std::find_if(kStatuses.begin(), kStatuses.end(),
                   [&](const auto& entry) { return entry.first == status; });
  if (known == kStatuses.end()) {
    std::string what = "status '" + status + "' is none of";
    for (const auto& entry : kStatuses) what.append(" ").append(entry.first);
    return Wrong(file, number, what);
  }
  search::MeasuredConfiguration measurement;
  measurement.verdict = known->second;
  if (measurement.verdict == Verdict::kPassed) {
    const std::optional<double> time_ms = ReadPositive(fields[columns.time]);
    if (!time_ms) {
      return Wrong(
          file, number,
          "time_ms '" + fields[columns.time] + "' is no positive number");
    }
    measurement.time_s = *time_ms / 1e3;
  }
  fields.resize(columns.status);
  measurement.values = std::move(fields);
  return measurement;
}

constexpr std::string_view kEnding = ".csv.zst";

fs::path DirectoryOf(const fs::path& data_directory) {
  return data_directory / "tuning_spaces";
}

}  // namespace

Result<std::string> ReadTable(const fs::path& file) {
  TRY(bytes, ReadBytes(file));
  if (file.extension() != ".zst") return bytes;
  auto text = store::DecompressFile(bytes, kLargest_bytes);
  if (text) return text;
  return Fail(Errc::kUsage, file.string() + ": " + text.error().what);
}

Result<search::RecordedSpace> ReadRecordedSpace(const fs::path& file) {
  TRY(text, ReadTable(file));
  std::string_view rest = text;
  TRY(columns, ReadHeader(file, NextLine(rest)));
  std::vector<search::MeasuredConfiguration> measurements;
  std::vector<std::size_t> numbers;  // Of their lines.
  for (std::size_t number = 2; !rest.empty(); ++number) {
    const std::string_view line = NextLine(rest);
    if (line.empty()) continue;
    TRY(measurement, ReadMeasurement(file, number, line, columns));
    measurements.push_back(std::move(measurement));
    numbers.push_back(number);
  }
  columns.names.resize(columns.status);
  auto space = search::RecordedSpace::Make(columns.names, measurements);
  if (space) return *std::move(space);
  const search::TableFault& refusal = space.error();
  if (refusal.measurement) {
    return Wrong(file, numbers[*refusal.measurement], refusal.what);
  }
  return Fail(Errc::kUsage, file.string() + ": " + refusal.what);
}

std::vector<std::string> RecordedSpaceNames(const fs::path& data_directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(DirectoryOf(data_directory), error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.ends_with(kEnding)) continue;
    name.resize(name.size() - kEnding.size());
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<fs::path> FindRecordedSpace(const fs::path& data_directory,
                                   const std::string& name) {
  if (name.ends_with(".csv") || name.ends_with(kEnding)) return fs::path(name);
  const std::vector<std::string> names = RecordedSpaceNames(data_directory);
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return DirectoryOf(data_directory) / (name + std::string(kEnding));
  }
  return Fail(Errc::kUsage,
              "recorded space '" + name + "' is unknown" +
                  NearestAndAll(name, names) +
                  ", or a file .csv or .csv.zst; `compare` takes groups of"
                  " them, too: train, test, own, unseen");
}

}  // namespace coppice::engine
