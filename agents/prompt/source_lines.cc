#include "agents/prompt/source_lines.h"

#include <algorithm>
#include <cstddef>

namespace coppice::agents {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

std::string_view TrimLeft(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

std::string_view TrimRight(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Reads lines in order, remembering whether a block comment is open.
class Reader {
 public:
  bool HasCode(std::string_view line) {
    line = TrimLeft(line);
    if (!in_block_ && line.starts_with("/*")) {
      in_block_ = true;
      line.remove_prefix(2);
    }
    if (in_block_) {
      const std::size_t close = line.find("*/");
      if (close == std::string_view::npos) return false;
      in_block_ = false;
      return HasCode(line.substr(close + 2));
    }
    const bool hash = line == "#" || line.starts_with("# ") ||
                      line.starts_with("#\t") || line.starts_with("##");
    return !line.empty() && !hash && !line.starts_with("//");
  }

 private:
  bool in_block_ = false;
};

}  // namespace

std::vector<SourceLine> SplitLines(std::string_view source) {
  std::vector<SourceLine> lines;
  Reader reader;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view text = TrimRight(source.substr(at, end - at));
    lines.push_back({text, reader.HasCode(text)});
    at = end + 1;
  }
  return lines;
}

bool OnlyComment(std::string_view text) { return !Reader().HasCode(text); }

}  // namespace coppice::agents
