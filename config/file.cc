#include "config/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace coppice::config {
namespace {

constexpr std::string_view kSpace = " \t\r";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view WithoutComment(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && (i == 0 || kSpace.find(text[i - 1]) != kSpace.npos)) {
      return text.substr(0, i);
    }
  }
  return text;
}

tl::unexpected<Error> Wrong(const std::filesystem::path& path, int number,
                            const std::string& what) {
  return Fail(Errc::kUsage,
              path.string() + ":" + std::to_string(number) + ": " + what);
}

}  // namespace

Result<std::vector<Line>> ReadFile(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Fail(Errc::kUsage, path.string() + ": is a directory");
  }
  errno = 0;
  std::ifstream file(path);
  if (!file) {
    const Errc code = errno == ENOENT ? Errc::kNotFound : Errc::kIo;
    return Fail(code, path.string() + ": " + std::strerror(errno));
  }
  std::string content;
  for (char part[4096]; file && content.size() <= kMostBytes;) {
    file.read(part, sizeof part);
    content.append(part, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return Fail(Errc::kIo, path.string() + ": cannot be read");
  if (content.size() > kMostBytes) {
    return Fail(Errc::kUsage, path.string() + ": over 1 MiB: no settings file");
  }
  std::istringstream stream(content);
  std::vector<Line> lines;
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    const std::string_view stripped = Trim(WithoutComment(text));
    if (stripped.empty()) continue;
    const auto equals = stripped.find('=');
    if (equals == stripped.npos) {
      return Wrong(path, number, "expected: key = value");
    }
    Line line{number, std::string(Trim(stripped.substr(0, equals))),
              std::string(Trim(stripped.substr(equals + 1)))};
    const auto same = [&](const Line& l) { return l.key == line.key; };
    const auto first = std::find_if(lines.begin(), lines.end(), same);
    if (first != lines.end()) {
      return Wrong(path, number,
                   line.key + " was already set in line " +
                       std::to_string(first->number));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace coppice::config
