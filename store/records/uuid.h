// A 128-bit identifier that is minted with the intent to do something and
// names it for ever after: never a pid, never a directory name.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace coppice {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Uuid&) const = default;
};

// "0190163d-8694-739b-aea5-966c26f8ad91", lower case.
std::string ToString(const Uuid& uuid);
std::optional<Uuid> ParseUuid(std::string_view text);

// RFC 9562 version 7: 48 bits of `unix_ms`, then 74 of the given random bits.
Uuid MakeUuidV7(std::uint64_t unix_ms, std::uint64_t random_high,
                std::uint64_t random_low);

}  // namespace coppice
