#include "engine/cli/text_wrap.h"

#include <algorithm>

namespace coppice::cli {
namespace {

constexpr std::string_view kRemark = "   # ";
constexpr std::string_view kContinued = " \\";

// Where the spaces are that a command of `width` can be broken at, best last.
std::size_t BreakOf(std::string_view line, std::size_t from,
                    std::size_t width) {
  std::size_t in_quotes = line.npos;
  std::size_t between_words = line.npos;
  std::size_t before_option = line.npos;
  bool quoted = false;
  const std::size_t most = std::min(width - kContinued.size(), line.size() - 1);
  for (std::size_t i = from; i <= most; ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] != ' ') continue;
    in_quotes = i;
    if (quoted) continue;
    between_words = i;
    if (line.substr(i).starts_with(" --")) before_option = i;
  }
  if (before_option != line.npos) return before_option;
  return between_words != line.npos ? between_words : in_quotes;
}

}  // namespace

std::vector<std::string> Wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    std::string& last = lines.back();
    if (last.empty()) {
      last = word;
    } else if (last.size() + 1 + word.size() <= width) {
      last.append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::vector<std::string> WrapCommand(const std::string& line,
                                     std::size_t width) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::vector<std::string> lines;
  std::string rest = line;
  if (const auto remark = line.find(kRemark);
      line.size() > width && remark != line.npos) {
    lines.push_back(std::string(indent, ' ') +
                    line.substr(remark + kRemark.size() - 2));
    rest.resize(remark);
  }
  std::size_t from = indent;
  while (rest.size() > width) {
    const std::size_t at = BreakOf(rest, from, width);
    if (at == rest.npos) break;
    lines.push_back(rest.substr(0, at).append(kContinued));
    rest = std::string(indent + 4, ' ') + rest.substr(at + 1);
    from = indent + 4;
  }
  lines.push_back(rest);
  return lines;
}

}  // namespace coppice::cli
