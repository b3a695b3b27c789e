#include "engine/documents/input.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>

namespace coppice::cli {
namespace {

// More than anybody wrote, and less than harms: /dev/zero has no end.
constexpr std::size_t kLimitBytes = 16 << 20;

std::string Unreadable(const std::string& name) {
  return name + ": " + (errno != 0 ? std::strerror(errno) : "cannot be read");
}

}  // namespace

// Not by std::istreambuf_iterator, which lets the exception of a failed read
// through.
Result<std::string> ReadAll(std::istream& in, const std::string& name) {
  std::string text;
  std::array<char, 1 << 16> block;
  errno = 0;
  while (in && text.size() <= kLimitBytes) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kLimitBytes) {
    return Fail(Errc::kUsage, name + ": more than 16 MiB");
  }
  if (in.bad() || !in.eof()) {
    return Fail(Errc::kUsage, Unreadable(name));
  }
  return text;
}

Result<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(Errc::kUsage, Unreadable(path));
  return ReadAll(file, path);  // Opening a directory succeeds.
}

}  // namespace coppice::cli
