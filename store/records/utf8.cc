#include "store/records/utf8.h"

#include <algorithm>

namespace coppice {
namespace {

constexpr std::size_t kMostLines = 40;
constexpr std::size_t kMostBytes = 8000;

unsigned ByteAt(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

}  // namespace

Utf8Character FirstCharacter(std::string_view text) {
  const unsigned lead = ByteAt(text, 0);
  if (lead < 0x80) return {lead, text.empty() ? 0U : 1U};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const unsigned least = lead == 0xE0 ? 0xA0U : lead == 0xF0 ? 0x90U : 0x80U;
  const unsigned most = lead == 0xED ? 0x9FU : lead == 0xF4 ? 0x8FU : 0xBFU;
  if (ByteAt(text, 1) < least || ByteAt(text, 1) > most) return {};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!IsWithinCharacter(text, i)) return {};
    code = (code << 6U) | (ByteAt(text, i) & 0x3FU);
  }
  return {code, bytes};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = FirstCharacter(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

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
