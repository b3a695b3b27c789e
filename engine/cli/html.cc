#include "engine/cli/html.h"

#include <cstdint>

#include "store/digest.h"
#include "store/records/formatted.h"
#include "store/records/hidden_characters.h"

namespace coppice::cli {
namespace {

struct Decoded {
  char32_t c = 0xFFFD;
  std::size_t bytes = 1;
};

// The first character of a text that is not empty.
Decoded Decode(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF5   ? 0
                            : lead >= 0xF0 ? 4
                            : lead >= 0xE0 ? 3
                            : lead >= 0xC2 ? 2
                                           : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t c = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    c = (c << 6U) | (byte(i) & 0x3FU);
  }
  const bool is_overlong =
      (bytes == 3 && c < 0x800) || (bytes == 4 && c < 0x10000);
  const bool is_surrogate = c >= 0xD800 && c <= 0xDFFF;
  if (is_overlong || is_surrogate || c > 0x10FFFF) return {};
  return {c, bytes};
}

std::string Numbered(char32_t c) {
  return Formatted("[U+%04X]", static_cast<unsigned>(c));
}

// U+2400 and on are pictures of the controls of ASCII.
std::string PictureOf(unsigned char control) {
  const unsigned c = control == 0x7F ? 0x2421U : 0x2400U + control;
  return {static_cast<char>(0xE0U | (c >> 12U)),
          static_cast<char>(0x80U | ((c >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (c & 0x3FU))};
}

std::string_view EntityOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

constexpr char kDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const Decoded next = Decode(text);
    const char first = text.front();
    const bool is_ascii = next.bytes == 1 && next.c < 0x80;
    if (is_ascii && !EntityOf(first).empty()) {
      escaped += EntityOf(first);
    } else if (is_ascii && first == '\r') {
      // An end of a line by itself or with the next; a page has but '\n'.
      if (!text.starts_with("\r\n")) escaped += PictureOf('\r');
    } else if (is_ascii && first != '\n' && first != '\t' &&
               (next.c < 0x20 || next.c == 0x7F)) {
      escaped += PictureOf(static_cast<unsigned char>(first));
    } else if (next.c == 0xFFFD) {
      escaped += "\xEF\xBF\xBD";
    } else if (IsHidden(next.c)) {
      escaped += Numbered(next.c);
    } else {
      escaped += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return escaped;
}

std::string ContentHash(std::string_view text) {
  const store::Digest digest = store::Sha256(text);
  std::string base64;
  for (std::size_t i = 0; i < digest.size(); i += 3) {
    const auto at = [&](std::size_t j) -> std::uint32_t {
      return j < digest.size() ? static_cast<std::uint8_t>(digest[j]) : 0U;
    };
    const std::uint32_t bits = (at(i) << 16U) | (at(i + 1) << 8U) | at(i + 2);
    for (unsigned k = 0; k < 4; ++k) {
      const bool is_there = i + k <= digest.size();
      base64 += is_there ? kDigits[(bits >> (18U - 6U * k)) & 0x3FU] : '=';
    }
  }
  return "sha256-" + base64;
}

}  // namespace coppice::cli
