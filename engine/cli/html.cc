#include "engine/cli/html.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "store/digest.h"
#include "store/records/formatted.h"
#include "store/records/hidden_characters.h"
#include "store/records/utf8.h"

namespace coppice::cli {
namespace {

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
    const Utf8Character next = FirstCharacter(text);
    const char first = text.front();
    const bool is_ascii = next.bytes == 1;
    if (is_ascii && !EntityOf(first).empty()) {
      escaped += EntityOf(first);
    } else if (is_ascii && first == '\r') {
      // An end of a line by itself or with the next; a page has but '\n'.
      if (!text.starts_with("\r\n")) escaped += PictureOf('\r');
    } else if (is_ascii && first != '\n' && first != '\t' &&
               (next.code < 0x20 || next.code == 0x7F)) {
      escaped += PictureOf(static_cast<unsigned char>(first));
    } else if (next.bytes == 0) {
      escaped += "\xEF\xBF\xBD";
    } else if (IsHidden(next.code)) {
      escaped += Numbered(next.code);
    } else {
      escaped += text.substr(0, next.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
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
