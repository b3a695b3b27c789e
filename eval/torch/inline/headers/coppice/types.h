// Types of elements, devices, sizes and options.
#pragma once

#include <coppice/bridge.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef COPPICE_STRING  // A source names it: see text.h.
#include <string>
#endif

#ifdef __CUDACC__
#define COPPICE_BOTH __host__ __device__
#else
#define COPPICE_BOTH
#endif

namespace lookalike {

struct Half;
struct BFloat16;

// The values are torch's (bridge.cc asserts it).
enum class ScalarType : std::int8_t {
  Byte = 0,
  Char = 1,
  Short = 2,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  Bool = 11,
  BFloat16 = 15,
  Undefined = -1
};

constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = kByte;
constexpr ScalarType kChar = ScalarType::Char, kInt8 = kChar;
constexpr ScalarType kShort = ScalarType::Short, kInt16 = kShort;
constexpr ScalarType kInt = ScalarType::Int, kInt32 = kInt;
constexpr ScalarType kLong = ScalarType::Long, kInt64 = kLong;
constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = kHalf;
constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = kFloat;
constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = kDouble;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;

inline const char* toString(ScalarType type) {
  switch (type) {
    case kByte:
      return "Byte";
    case kChar:
      return "Char";
    case kShort:
      return "Short";
    case kInt:
      return "Int";
    case kLong:
      return "Long";
    case kHalf:
      return "Half";
    case kFloat:
      return "Float";
    case kDouble:
      return "Double";
    case kBool:
      return "Bool";
    case kBFloat16:
      return "BFloat16";
    default:
      return "UNKNOWN_SCALAR";
  }
}

template <ScalarType>
struct CppType;
template <typename T>
struct TypeOf;
#define COPPICE_TYPE(name, cpp)                           \
  template <>                                             \
  struct CppType<ScalarType::name> {                      \
    using type = cpp;                                     \
  };                                                      \
  template <>                                             \
  struct TypeOf<cpp> {                                    \
    static constexpr ScalarType value = ScalarType::name; \
  };
COPPICE_TYPE(Byte, std::uint8_t)
COPPICE_TYPE(Char, std::int8_t)
COPPICE_TYPE(Short, std::int16_t)
COPPICE_TYPE(Int, int)
COPPICE_TYPE(Long, std::int64_t)
COPPICE_TYPE(Half, lookalike::Half)
COPPICE_TYPE(Float, float)
COPPICE_TYPE(Double, double)
COPPICE_TYPE(Bool, bool)
COPPICE_TYPE(BFloat16, lookalike::BFloat16)
#undef COPPICE_TYPE

inline std::size_t elementSize(ScalarType type) {
  return coppice_element_size(static_cast<std::int32_t>(type));
}

// What Tensor::dtype() gives: not a ScalarType, though it compares as one.
class TypeMeta {
 public:
  TypeMeta(ScalarType type) : type_(type) {}
  ScalarType toScalarType() const { return type_; }
  std::size_t itemsize() const { return elementSize(type_); }
  const char* name() const {
    return coppice_type_name(static_cast<std::int32_t>(type_));
  }

 private:
  ScalarType type_;
};
inline bool operator==(TypeMeta a, TypeMeta b) {
  return a.toScalarType() == b.toScalarType();
}
inline bool operator!=(TypeMeta a, TypeMeta b) { return !(a == b); }
using Dtype = ScalarType;

enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
using DeviceIndex = std::int8_t;

class Device {
 public:
  Device(DeviceType type, DeviceIndex index = -1)
      : type_(type), index_(index) {}
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ >= 0; }
  bool is_cuda() const { return type_ == kCUDA; }
  bool is_cpu() const { return type_ == kCPU; }
#ifdef COPPICE_STRING
  std::string str() const {
    std::string text = is_cuda() ? "cuda" : "cpu";
    if (has_index()) text += ":" + std::to_string(index_);
    return text;
  }
#endif
  bool operator==(const Device& other) const {
    return type_ == other.type_ && index_ == other.index_;
  }
  bool operator!=(const Device& other) const { return !(*this == other); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

enum class MemoryFormat : std::int8_t {
  Contiguous = 0,
  Preserve = 1,
  ChannelsLast = 2,
  ChannelsLast3d = 3
};

template <typename T>
class ArrayRef {
 public:
  using value_type = T;
  ArrayRef() = default;
  ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  ArrayRef(const T& one) : data_(&one), size_(1) {}
  ArrayRef(const std::vector<T>& v) : data_(v.data()), size_(v.size()) {}
  template <std::size_t N>
  ArrayRef(const std::array<T, N>& a) : data_(a.data()), size_(N) {}
  template <std::size_t N>
  ArrayRef(const T (&a)[N]) : data_(a), size_(N) {}
  // As torch's: of a list that is still there at the end of the expression.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
  ArrayRef(const std::initializer_list<T>& list)
      : data_(list.begin()), size_(list.size()) {}
#pragma GCC diagnostic pop
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& at(std::size_t i) const {
    if (i >= size_) {
      coppice_complain(Complaint::kError, __func__, __FILE__, __LINE__,
                       "ArrayRef: invalid index");
    }
    return data_[i];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(size_ - 1); }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  ArrayRef slice(std::size_t from, std::size_t count) const {
    return ArrayRef(data_ + from, count);
  }
  ArrayRef slice(std::size_t from) const { return slice(from, size_ - from); }
  bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i) {
      if (!(data_[i] == other.data_[i])) return false;
    }
    return true;
  }
  operator std::vector<T>() const { return vec(); }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}
template <typename T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return b.equals(a);
}
template <typename T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(b);
}
using IntArrayRef = ArrayRef<std::int64_t>;

class TensorOptions {
 public:
  TensorOptions() = default;
  explicit TensorOptions(Choices choices) : choices_(choices) {}
  TensorOptions(ScalarType type) {
    choices_.dtype = static_cast<std::int8_t>(type);
  }
  TensorOptions(TypeMeta type) : TensorOptions(type.toScalarType()) {}
  TensorOptions(Device device) {
    choices_.device_type = static_cast<std::int8_t>(device.type());
    choices_.device_index = device.index();
  }
  TensorOptions(DeviceType type) : TensorOptions(Device(type)) {}

  TensorOptions dtype(ScalarType type) const {
    TensorOptions options = *this;
    options.choices_.dtype = static_cast<std::int8_t>(type);
    return options;
  }
  TensorOptions dtype(TypeMeta type) const {
    return dtype(type.toScalarType());
  }
  TensorOptions device(Device device) const {
    TensorOptions options = *this;
    options.choices_.device_type = static_cast<std::int8_t>(device.type());
    options.choices_.device_index = device.index();
    return options;
  }
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const {
    return device(Device(type, index));
  }
  TensorOptions requires_grad(bool yes = true) const {
    TensorOptions options = *this;
    options.choices_.requires_grad = yes;
    return options;
  }
  TensorOptions pinned_memory(bool yes = true) const {
    TensorOptions options = *this;
    options.choices_.pinned = yes;
    return options;
  }
  // A CPU and float32, where nothing was said.
  Device device() const {
    return Device(static_cast<DeviceType>(
                      choices_.device_type < 0 ? 0 : choices_.device_type),
                  choices_.device_index);
  }
  TypeMeta dtype() const {
    return TypeMeta(
        choices_.dtype < 0 ? kFloat : static_cast<ScalarType>(choices_.dtype));
  }
  const Choices& choices() const { return choices_; }

 private:
  Choices choices_;
};
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device(DeviceType type) { return TensorOptions(type); }

// A number for an operator.
class Scalar {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      value_.kind = Kind::kBool;
      value_.integer = number;
    } else if constexpr (std::is_integral_v<T>) {
      value_.kind = Kind::kInt;
      value_.integer = static_cast<std::int64_t>(number);
    } else {
      value_.kind = Kind::kReal;
      value_.real = static_cast<double>(number);
    }
  }
  template <typename T>
  T to() const {
    return value_.kind == Kind::kReal ? static_cast<T>(value_.real)
                                      : static_cast<T>(value_.integer);
  }
  const Value& value() const { return value_; }

 private:
  Value value_;
};

using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;

}  // namespace lookalike
