#include "agents/prompt/code_fences.h"

#include <optional>

namespace coppice::agents {
namespace {

struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::size_t indent = 0;
  bool bare = false;  // Nothing follows: only such a fence can close a block.
};

std::optional<Fence> ParseFence(std::string_view line) {
  Fence fence;
  fence.indent = line.find_first_not_of(" \t");
  if (fence.indent == std::string_view::npos) return std::nullopt;
  line.remove_prefix(fence.indent);
  fence.mark = line.front();
  if (fence.mark != '`' && fence.mark != '~') return std::nullopt;
  fence.length = line.find_first_not_of(fence.mark);
  if (fence.length == std::string_view::npos) fence.length = line.size();
  if (fence.length < 3) return std::nullopt;
  const std::string_view info = line.substr(fence.length);
  // "```x```" on one line is inline code, not a fence.
  if (fence.mark == '`' && info.find('`') != std::string_view::npos) {
    return std::nullopt;
  }
  fence.bare = info.find_first_not_of(" \t") == std::string_view::npos;
  return fence;
}

std::string_view Unindent(std::string_view line, std::size_t columns) {
  std::size_t cut = 0;
  while (cut < columns && cut < line.size() &&
         (line[cut] == ' ' || line[cut] == '\t')) {
    ++cut;
  }
  return line.substr(cut);
}

}  // namespace

std::vector<FencedBlock> FindFencedBlocks(std::string_view text) {
  std::vector<FencedBlock> blocks;
  std::optional<Fence> open;
  int line_number = 1;
  for (std::size_t at = 0; at < text.size(); ++line_number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::optional<Fence> fence = ParseFence(line);
    if (!open && fence) {
      blocks.push_back({at, line_number, "", false});
      open = fence;
    } else if (open && fence && fence->bare && fence->mark == open->mark &&
               fence->length >= open->length) {
      blocks.back().closed = true;
      open.reset();
    } else if (open) {
      blocks.back().content += Unindent(line, open->indent);
      blocks.back().content += '\n';
    }
    at = end + 1;
  }
  return blocks;
}

}  // namespace coppice::agents
