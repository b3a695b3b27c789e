// What is said in an exception.  std::string would do, and takes the compilers
// longer than all else here: it is named only where a source does.
#pragma once

#include <coppice/types.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lookalike {

class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text(Text&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Text& operator=(Text&&) = delete;
  ~Text() { std::free(data_); }

  // Makes room for so many characters more, and returns where they belong.
  char* Grow(std::size_t more) {
    void* const grown = std::realloc(data_, size_ + more + 1);
    if (grown == nullptr) std::abort();
    data_ = static_cast<char*>(grown);
    size_ += more;
    data_[size_] = '\0';
    return data_ + size_ - more;
  }
  void Add(const char* more, std::size_t size) {
    std::memcpy(Grow(size), more, size);
  }
  const char* c_str() const { return data_ == nullptr ? "" : data_; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

// What std::ostream would print, without its header.
inline void Append(Text& text, const char* more) {
  text.Add(more, std::strlen(more));
}
inline void Append(Text& text, char more) { text.Add(&more, 1); }
inline void Append(Text& text, ScalarType more) {
  Append(text, toString(more));
}
inline void Append(Text& text, TypeMeta more) { Append(text, more.name()); }
inline void Append(Text& text, DeviceType more) {
  Append(text, more == kCUDA ? "cuda" : "cpu");
}
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>> Append(Text& text, T more) {
  char digits[40];
  if constexpr (std::is_floating_point_v<T>) {
    std::snprintf(digits, sizeof digits, "%g", static_cast<double>(more));
  } else if constexpr (std::is_signed_v<T>) {
    std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(more));
  } else {
    std::snprintf(digits, sizeof digits, "%llu",
                  static_cast<unsigned long long>(more));
  }
  Append(text, static_cast<const char*>(digits));
}
inline void Append(Text& text, const Device& more) {
  Append(text, more.type());
  if (more.has_index()) {
    Append(text, ':');
    Append(text, static_cast<int>(more.index()));
  }
}
template <typename T>
void Append(Text& text, ArrayRef<T> more) {
  Append(text, '[');
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (i > 0) Append(text, ", ");
    Append(text, more[i]);
  }
  Append(text, ']');
}
#ifdef COPPICE_STRING
inline void Append(Text& text, const std::string& more) {
  text.Add(more.data(), more.size());
}
#endif

}  // namespace lookalike
