// Calls of torch's operators by name, through its dispatcher.
#pragma once

#include <coppice/types.h>

#include <tuple>
#include <utility>

namespace lookalike {

class Tensor;

// Each ToValue() borrows from its argument until the call has returned.
inline Value ToValue(const Tensor& tensor);
inline Value ToValue(const Scalar& number) { return number.value(); }
inline Value ToValue(std::nullopt_t) { return {}; }
inline Value ToValue(ScalarType type) {
  return Scalar(static_cast<std::int64_t>(type)).value();
}
inline Value ToValue(MemoryFormat format) {
  return Scalar(static_cast<std::int64_t>(format)).value();
}
inline Value ToValue(IntArrayRef list) {
  Value value;
  value.kind = Kind::kInts;
  value.list = list.data();
  value.size = list.size();
  return value;
}
inline Value ToValue(ArrayRef<Tensor> list) {
  Value value;
  value.kind = Kind::kTensors;
  value.list = list.data();  // A Tensor is one pointer.
  value.size = list.size();
  return value;
}
inline Value ToValue(const char* text) {
  Value value;
  value.kind = Kind::kText;
  value.list = text;
  return value;
}
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>, Value> ToValue(T number) {
  return Scalar(number).value();
}
template <typename T>
Value ToValue(const std::optional<T>& maybe) {
  return maybe ? ToValue(*maybe) : Value{};
}

template <typename... T>
void CallInto(const void* op, Value* results, std::size_t count,
              const T&... arguments) {
  const Value values[] = {ToValue(arguments)..., Value{}};
  coppice_call(op, values, sizeof...(arguments), results, count);
}

}  // namespace lookalike

// A call of one operator, which is looked up once.
#define COPPICE_OP(name, overload)                              \
  ([]() -> const void* {                                        \
    static const void* const op =                               \
        ::lookalike::coppice_operator("aten::" name, overload); \
    return op;                                                  \
  }())
