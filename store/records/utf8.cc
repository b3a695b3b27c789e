#include "store/records/utf8.h"

#include <algorithm>

namespace coppice {
namespace {

constexpr std::size_t kMostLines = 40;
constexpr std::size_t kMostBytes = 8000;

}  // namespace

bool IsWithinCharacter(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] & 0xC0) == 0x80;
}

std::size_t WholeCharacters(std::string_view text, std::size_t bytes) {
  std::size_t end = std::min(bytes, text.size());
  while (end > 0 && IsWithinCharacter(text, end)) --end;
  return end;
}

std::string HeadOf(std::string_view log) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < kMostLines && end < log.size(); ++i) {
    const std::size_t line = log.find('\n', end);
    end = line == std::string_view::npos ? log.size() : line + 1;
  }
  return std::string(
      log.substr(0, WholeCharacters(log, std::min(end, kMostBytes))));
}

}  // namespace coppice
