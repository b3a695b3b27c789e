#include "store/records/formatted.h"

#include <cstdarg>
#include <cstdio>

namespace coppice {

std::string Formatted(const char* format, ...) {
  char usual[128];
  std::va_list values;
  va_start(values, format);
  const int size = std::vsnprintf(usual, sizeof usual, format, values);
  va_end(values);
  const auto bytes = static_cast<std::size_t>(size);
  if (bytes < sizeof usual) return {usual, bytes};
  std::string text(bytes, '\0');
  va_start(values, format);
  std::vsnprintf(text.data(), bytes + 1, format, values);
  va_end(values);
  return text;
}

}  // namespace coppice
