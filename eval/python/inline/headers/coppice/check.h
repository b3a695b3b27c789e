// TORCH_CHECK and its kin: torch's own exceptions and texts.
#pragma once

#include <coppice/types.h>

#include <cstdio>
#include <string>

namespace lookalike {

// What std::ostream would print, without its header.
inline void Append(std::string& text, const char* more) { text += more; }
inline void Append(std::string& text, const std::string& more) { text += more; }
inline void Append(std::string& text, char more) { text += more; }
inline void Append(std::string& text, ScalarType more) {
  text += toString(more);
}
inline void Append(std::string& text, TypeMeta more) { text += more.name(); }
inline void Append(std::string& text, const Device& more) {
  text += more.str();
}
inline void Append(std::string& text, DeviceType more) {
  text += more == kCUDA ? "cuda" : "cpu";
}
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>> Append(std::string& text, T more) {
  if constexpr (std::is_floating_point_v<T>) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%g", static_cast<double>(more));
    text += digits;
  } else {
    text += std::to_string(more);
  }
}
template <typename T>
void Append(std::string& text, ArrayRef<T> more) {
  text += '[';
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (i > 0) text += ", ";
    Append(text, more[i]);
  }
  text += ']';
}
template <typename... T>
std::string str(const T&... parts) {
  std::string text;
  (Append(text, parts), ...);
  return text;
}

template <typename... T>
[[noreturn]] void Complain(Complaint complaint, const char* function,
                           const char* file, std::uint32_t line,
                           const char* condition, const T&... parts) {
  std::string text = str(parts...);
  if constexpr (sizeof...(parts) == 0) {
    text = std::string("Expected ") + condition +
           " to be true, but got false.  (Could this error message be "
           "improved?  If so, please report an enhancement request to "
           "PyTorch.)";
  }
  coppice_complain(complaint, function, file, line, text.c_str());
}

}  // namespace lookalike

#define COPPICE_CHECK(complaint, condition, ...)                            \
  do {                                                                      \
    if (!(condition)) {                                                     \
      ::lookalike::Complain(::lookalike::Complaint::complaint, __func__,    \
                            __FILE__, static_cast<std::uint32_t>(__LINE__), \
                            #condition, ##__VA_ARGS__);                     \
    }                                                                       \
  } while (false)
#define TORCH_CHECK(...) COPPICE_CHECK(kError, __VA_ARGS__)
#define TORCH_CHECK_INDEX(...) COPPICE_CHECK(kIndex, __VA_ARGS__)
#define TORCH_CHECK_VALUE(...) COPPICE_CHECK(kValue, __VA_ARGS__)
#define TORCH_CHECK_TYPE(...) COPPICE_CHECK(kType, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(...) \
  COPPICE_CHECK(kNotImplemented, __VA_ARGS__)
#define AT_ERROR(...) COPPICE_CHECK(kError, false, __VA_ARGS__)
#define TORCH_WARN(...)                                           \
  ::lookalike::coppice_warn(__func__, __FILE__,                   \
                            static_cast<std::uint32_t>(__LINE__), \
                            ::lookalike::str(__VA_ARGS__).c_str())
