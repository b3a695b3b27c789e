// AT_DISPATCH_*: a lambda for the element type that a tensor has.
#pragma once

#include <coppice/check.h>

namespace lookalike {

inline ScalarType DispatchedType(ScalarType type) { return type; }
template <typename Properties>
ScalarType DispatchedType(const Properties& type) {
  return type.scalarType();
}

// What sums are kept in.
template <typename T>
struct OpMath {
  using type = T;
};
template <>
struct OpMath<Half> {
  using type = float;
};
template <>
struct OpMath<BFloat16> {
  using type = float;
};
template <typename T>
using opmath_type = typename OpMath<T>::type;
template <typename T, bool cuda>
using acc_type =
    std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                       std::int64_t,
                       std::conditional_t<!cuda && std::is_same_v<T, float>,
                                          double, opmath_type<T>>>;

}  // namespace lookalike

#define AT_DISPATCH_CASE(enum_type, ...)                \
  case enum_type: {                                     \
    using scalar_t [[maybe_unused]] =                   \
        typename ::lookalike::CppType<enum_type>::type; \
    return __VA_ARGS__();                               \
  }
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                    \
  [&] {                                                                        \
    const auto& the_type = TYPE;                                               \
    constexpr const char* at_dispatch_name = NAME;                             \
    const ::lookalike::ScalarType _st = ::lookalike::DispatchedType(the_type); \
    switch (_st) {                                                             \
      __VA_ARGS__                                                              \
      default:                                                                 \
        TORCH_CHECK_NOT_IMPLEMENTED(false, '"', at_dispatch_name,              \
                                    "\" not implemented for '",                \
                                    ::lookalike::toString(_st), "'");          \
    }                                                                          \
  }()

#define COPPICE_FLOATING(...)                                    \
  AT_DISPATCH_CASE(::lookalike::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(::lookalike::ScalarType::Float, __VA_ARGS__)
#define COPPICE_INTEGRAL(...)                                  \
  AT_DISPATCH_CASE(::lookalike::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(::lookalike::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(::lookalike::ScalarType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::lookalike::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(::lookalike::ScalarType::Short, __VA_ARGS__)
#define COPPICE_ALL(...)        \
  COPPICE_INTEGRAL(__VA_ARGS__) \
  COPPICE_FLOATING(__VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, COPPICE_FLOATING(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                            \
                     COPPICE_FLOATING(__VA_ARGS__)          \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(T1, T2, TYPE, NAME, ...)     \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                     \
                     COPPICE_FLOATING(__VA_ARGS__) AT_DISPATCH_CASE( \
                         T1, __VA_ARGS__) AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...)                \
  AT_DISPATCH_FLOATING_TYPES_AND(::lookalike::ScalarType::Half, TYPE, NAME, \
                                 __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...)        \
  AT_DISPATCH_SWITCH(                                              \
      TYPE, NAME,                                                  \
      AT_DISPATCH_CASE(::lookalike::ScalarType::Half, __VA_ARGS__) \
          AT_DISPATCH_CASE(::lookalike::ScalarType::BFloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, COPPICE_INTEGRAL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, COPPICE_ALL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(T1, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                  \
      TYPE, NAME, COPPICE_ALL(__VA_ARGS__) AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(T1, T2, TYPE, NAME, ...)     \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                \
                     COPPICE_ALL(__VA_ARGS__) AT_DISPATCH_CASE( \
                         T1, __VA_ARGS__) AT_DISPATCH_CASE(T2, __VA_ARGS__))
