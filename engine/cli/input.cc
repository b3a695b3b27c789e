#include "engine/cli/input.h"

#include <array>
#include <istream>

namespace coppice::cli {
namespace {

// More than anybody wrote, and less than harms: /dev/zero has no end.
constexpr std::size_t kLimitBytes = 16 << 20;

}  // namespace

// Not by std::istreambuf_iterator, which lets the exception of a failed read
// through.
Result<std::string> ReadAll(std::istream& in, const std::string& name) {
  std::string text;
  std::array<char, 1 << 16> block;
  while (in && text.size() <= kLimitBytes) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kLimitBytes) {
    return Fail(Errc::kUsage, name + ": more than 16 MiB");
  }
  if (in.bad() || !in.eof()) {
    return Fail(Errc::kUsage, name + ": cannot be read");
  }
  return text;
}

}  // namespace coppice::cli
