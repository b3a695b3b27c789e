// TORCH_CHECK and its kin: torch's own exceptions and texts.
#pragma once

#include <coppice/text.h>

namespace lookalike {

template <typename... T>
Text Told(const T&... parts) {
  Text text;
  (Append(text, parts), ...);
  return text;
}
#ifdef COPPICE_STRING
template <typename... T>
std::string str(const T&... parts) {
  return Told(parts...).c_str();
}
#endif

template <typename... T>
[[noreturn]] void Complain(Complaint complaint, const char* function,
                           const char* file, std::uint32_t line,
                           const char* condition, const T&... parts) {
  if constexpr (sizeof...(parts) == 0) {
    Complain(complaint, function, file, line, condition, "Expected ", condition,
             " to be true, but got false.  (Could this error message be "
             "improved?  If so, please report an enhancement request to "
             "PyTorch.)");
  } else {
    coppice_complain(complaint, function, file, line, Told(parts...).c_str());
  }
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
                            ::lookalike::Told(__VA_ARGS__).c_str())
