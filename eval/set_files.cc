#include "eval/set_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

// More than anybody wrote, and less than harms.
constexpr std::uintmax_t kMostBytes = 256 << 20;

// Of a regular file.
Result<std::string> ReadFile(const fs::path& path) {
  std::error_code error;
  if (fs::file_size(path, error) > kMostBytes && !error) {
    return Fail(Errc::kCorrupt, path.string() + ": more than 256 MiB");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) {
    return Fail(Errc::kIo,
                path.string() + ": " +
                    (errno != 0 ? std::strerror(errno) : "cannot be read"));
  }
  return text;
}

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
  TRY(text, ReadFile(path));
  return ParseJson(text, path.string());
}

Result<void> ForEachLine(
    const fs::path& file,
    const std::function<Result<void>(const Cursor&)>& use) {
  TRY(text, ReadFile(file));
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
