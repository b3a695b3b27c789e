#include "store/records/uuid.h"

namespace coppice {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsDashPosition(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

}  // namespace

std::string ToString(const Uuid& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (const std::uint8_t byte : uuid.bytes) {
    if (IsDashPosition(text.size())) text += '-';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<Uuid> ParseUuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid uuid;
  std::size_t nibble = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsDashPosition(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int digit = HexDigit(text[i]);
    if (digit < 0) return std::nullopt;
    std::uint8_t& byte = uuid.bytes[nibble / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | digit);
    ++nibble;
  }
  return uuid;
}

Uuid MakeUuidV7(std::uint64_t unix_ms, std::uint64_t random_high,
                std::uint64_t random_low) {
  Uuid uuid;
  for (std::size_t i = 0; i < 6; ++i) {
    uuid.bytes[i] = static_cast<std::uint8_t>(unix_ms >> (40 - 8 * i));
  }
  uuid.bytes[6] = static_cast<std::uint8_t>(0x70 | (random_high >> 8 & 0x0f));
  uuid.bytes[7] = static_cast<std::uint8_t>(random_high);
  for (std::size_t i = 0; i < 8; ++i) {
    uuid.bytes[8 + i] = static_cast<std::uint8_t>(random_low >> (56 - 8 * i));
  }
  uuid.bytes[8] = static_cast<std::uint8_t>(0x80 | (uuid.bytes[8] & 0x3f));
  return uuid;
}

}  // namespace coppice
