#include "eval/formats/set_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "eval/host/whole_file.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

// More than anybody wrote, and less than harms.
constexpr std::uintmax_t kMostBytes = 256 << 20;

}  // namespace

Result<std::vector<fs::path>> FilesBelow(const fs::path& root,
                                         const std::string& folder,
                                         const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code error;
  if (!fs::exists(root / folder, error)) return files;
  fs::recursive_directory_iterator walk(root / folder, error);
  for (; !error && walk != fs::end(walk); walk.increment(error)) {
    std::error_code ignored;
    if (walk->path().extension() == extension &&
        walk->is_regular_file(ignored)) {
      files.push_back(walk->path());
    }
  }
  if (error) {
    return Fail(Errc::kIo, (root / folder).string() + ": " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<Json> ReadJson(const fs::path& path) {
  TRY(text, ReadWhole(path, kMostBytes));
  return ParseJson(text, path.string());
}

Result<void> ForEachLine(
    const fs::path& file,
    const std::function<Result<void>(const Cursor&)>& use) {
  TRY(text, ReadWhole(file, kMostBytes));
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string place = file.string() + ":" + std::to_string(number);
    TRY(json, ParseJson(line, place));
    TRY_DONE(use(Cursor(json, place)));
  }
  return {};
}

Result<bool> SameBytes(const fs::path& a, const fs::path& b) {
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  if (!first) return Fail(Errc::kIo, a.string() + ": cannot be read");
  if (!second) return Fail(Errc::kIo, b.string() + ": cannot be read");
  const std::istreambuf_iterator<char> end;
  return std::equal(std::istreambuf_iterator<char>(first), end,
                    std::istreambuf_iterator<char>(second), end);
}

}  // namespace coppice::eval
