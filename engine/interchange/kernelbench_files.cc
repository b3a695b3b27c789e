#include "engine/interchange/kernelbench_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "store/records/parse_number.h"

namespace coppice::engine {
namespace {

namespace fs = std::filesystem;

// The problems by level, from 1.
const std::set<int> kRepresentative[] = {
    {1, 3, 6, 18, 23, 26, 33, 36, 40, 42, 48, 54, 57, 65, 77, 82, 86, 87},
    {1, 2, 8, 18, 23, 28, 33, 43},
    {1, 5, 8, 11, 20, 21, 33, 38, 43}};
const std::set<int> kUnsound[] = {{23}, {18, 23}, {}};

// Reads the 19 of "19_ReLU.py".
std::optional<int> NumberOf(const fs::path& file) {
  const std::string name = file.filename().string();
  std::string_view rest = name;
  const auto number = TakeNumber<int>(rest);
  const bool is_one = rest.starts_with('_') && file.extension() == ".py";
  return is_one ? number : std::nullopt;
}

bool IsChosen(int number, int level, const std::string& subset) {
  if (subset == "all") return true;
  const auto i = static_cast<std::size_t>(level - 1);
  if (i >= std::size(kRepresentative)) return false;
  return kRepresentative[i].contains(number) &&
         (subset == "representative" || !kUnsound[i].contains(number));
}

}  // namespace

Result<std::vector<fs::path>> KernelBenchFiles(const fs::path& checkout,
                                               int level,
                                               const std::string& subset) {
  if (subset != "all" && subset != "representative" &&
      subset != "representative_sound") {
    return Fail(Errc::kUsage, "--subset " + subset +
                                  ": expected all, representative or "
                                  "representative_sound");
  }
  const std::string name = "level" + std::to_string(level);
  std::error_code error;
  fs::path folder = checkout / name;
  if (!fs::is_directory(folder, error)) {
    folder = checkout / "KernelBench" / name;
  }
  std::map<int, fs::path> files;
  fs::directory_iterator walk(folder, error);
  for (; !error && walk != fs::end(walk); walk.increment(error)) {
    const std::optional<int> number = NumberOf(walk->path());
    if (number && IsChosen(*number, level, subset)) {
      files.emplace(*number, walk->path());
    }
  }
  if (error || files.empty()) {
    return Fail(Errc::kNotFound, checkout.string() + ": no problem of level " +
                                     std::to_string(level) +
                                     " (levelN/ID_NAME.py) is there");
  }
  std::vector<fs::path> sorted;
  for (auto& [number, file] : files) sorted.push_back(std::move(file));
  return sorted;
}

}  // namespace coppice::engine
