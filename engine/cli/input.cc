#include "engine/cli/input.h"

#include <array>
#include <istream>

namespace coppice::cli {

// Not by std::istreambuf_iterator, which lets the exception of a failed read
// through.
Result<std::string> ReadAll(std::istream& in, const std::string& name) {
  std::string text;
  std::array<char, 1 << 16> block;
  while (in) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad() || !in.eof()) {
    return Fail(Errc::kUsage, name + ": cannot be read");
  }
  return text;
}

}  // namespace coppice::cli
