// PYBIND11_MODULE and m.def, without pybind11 and Python's headers: a function
// is described by its C++ type, and bridge.cc makes it one of Python's.
#pragma once

#include <coppice/tensor.h>

// Sources for nvcc seldom bind anything, and what follows takes it long.
#if !defined(__CUDACC__) || defined(COPPICE_MODULE)

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lookalike {

// Load(): false if it is no such object.  Make(): a new reference.
template <typename T, typename = void>
struct Convert;

template <>
struct Convert<Tensor> {
  static std::string Name() { return "torch.Tensor"; }
  static bool Load(Object* from, bool, Tensor& to) {
    Impl* impl = nullptr;
    if (!coppice_to_tensor(from, &impl)) return false;
    to = Tensor::Adopt(impl);
    return true;
  }
  static Object* Make(Tensor value) {
    return coppice_from_tensor(value.Release());
  }
};
template <>
struct Convert<bool> {
  static std::string Name() { return "bool"; }
  static bool Load(Object* from, bool convert, bool& to) {
    return coppice_to_bool(from, convert, &to);
  }
  static Object* Make(bool value) { return coppice_from_bool(value); }
};
template <typename T>
struct Convert<T, std::enable_if_t<std::is_integral_v<T>>> {
  static std::string Name() { return "int"; }
  static bool Load(Object* from, bool convert, T& to) {
    static_assert(std::is_signed_v<T> || sizeof(T) < 8);
    std::int64_t wide = 0;
    if (!coppice_to_int(from, convert, &wide)) return false;
    to = static_cast<T>(wide);
    return static_cast<std::int64_t>(to) == wide;
  }
  static Object* Make(T value) {
    return coppice_from_int(static_cast<std::int64_t>(value));
  }
};
template <typename T>
struct Convert<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static std::string Name() { return "float"; }
  static bool Load(Object* from, bool convert, T& to) {
    double wide = 0;
    if (!coppice_to_real(from, convert, &wide)) return false;
    to = static_cast<T>(wide);
    return true;
  }
  static Object* Make(T value) {
    return coppice_from_real(static_cast<double>(value));
  }
};
template <>
struct Convert<std::string> {
  static std::string Name() { return "str"; }
  static bool Load(Object* from, bool, std::string& to) {
    const char* text = nullptr;
    std::size_t size = 0;
    if (!coppice_to_text(from, &text, &size)) return false;
    to.assign(text, size);
    return true;
  }
  static Object* Make(const std::string& value) {
    return coppice_from_text(value.data(), value.size());
  }
};
template <>
struct Convert<ScalarType> {
  static std::string Name() { return "torch.dtype"; }
  static bool Load(Object* from, bool, ScalarType& to) {
    std::int8_t type = 0;
    if (!coppice_to_dtype(from, &type)) return false;
    to = static_cast<ScalarType>(type);
    return true;
  }
  static Object* Make(ScalarType value) {
    return coppice_from_dtype(static_cast<std::int8_t>(value));
  }
};
template <typename T>
struct Convert<std::optional<T>> {
  static std::string Name() { return "Optional[" + Convert<T>::Name() + "]"; }
  static bool Load(Object* from, bool convert, std::optional<T>& to) {
    if (coppice_is_none(from)) {
      to.reset();
      return true;
    }
    return Convert<T>::Load(from, convert, to.emplace());
  }
  static Object* Make(const std::optional<T>& value) {
    return value ? Convert<T>::Make(*value) : coppice_none();
  }
};
template <typename T>
struct Convert<std::vector<T>> {
  static std::string Name() { return "List[" + Convert<T>::Name() + "]"; }
  static bool Load(Object* from, bool convert, std::vector<T>& to) {
    std::size_t size = 0;
    Object* const row = coppice_sequence(from, &size);
    if (row == nullptr) return false;
    to.clear();
    bool fits = true;
    for (std::size_t i = 0; fits && i < size; ++i) {
      T item{};
      fits = Convert<T>::Load(coppice_item(row, i), convert, item);
      to.push_back(std::move(item));
    }
    coppice_drop(row);
    return fits;
  }
  static Object* Make(const std::vector<T>& value) {
    std::vector<Object*> items;
    for (const auto& item : value) items.push_back(Convert<T>::Make(item));
    return coppice_row(Row::kList, items.data(), items.size());
  }
};
template <typename T, std::size_t N>
struct Convert<std::array<T, N>> {
  static std::string Name() { return "List[" + Convert<T>::Name() + "]"; }
  static Object* Make(const std::array<T, N>& value) {
    return Convert<std::vector<T>>::Make({value.begin(), value.end()});
  }
};
template <typename... T>
struct Convert<std::tuple<T...>> {
  static std::string Name() {
    std::string name;
    ((name += (name.empty() ? "Tuple[" : ", ") + Convert<T>::Name()), ...);
    return name + "]";
  }
  static Object* Make(const std::tuple<T...>& value) {
    return std::apply(
        [](const T&... parts) {
          Object* const items[] = {Convert<T>::Make(parts)...};
          return coppice_row(Row::kTuple, items, sizeof...(T));
        },
        value);
  }
};
template <typename A, typename B>
struct Convert<std::pair<A, B>> : Convert<std::tuple<A, B>> {};

// What an argument of that type is kept in during a call.
template <typename T>
struct Kept {
  using type = std::decay_t<T>;
};
template <>
struct Kept<IntArrayRef> {
  using type = std::vector<std::int64_t>;
};
template <>
struct Kept<TensorList> {
  using type = std::vector<Tensor>;
};
template <typename T>
using KeptType = typename Kept<std::decay_t<T>>::type;

template <typename F>
struct Call;
template <typename R, typename... T>
struct Call<R (*)(T...)> {
  static constexpr std::size_t kCount = sizeof...(T);

  static std::string ResultName() {
    if constexpr (std::is_void_v<R>) {
      return "None";
    } else {
      return Convert<KeptType<R>>::Name();
    }
  }
  static std::vector<std::string> Names() {
    return {Convert<KeptType<T>>::Name()...};
  }

  template <typename F>
  static Object* Invoke(const void* callable, Object* const* arguments,
                        bool convert) {
    return With<F>(*static_cast<const F*>(callable), arguments, convert,
                   std::index_sequence_for<T...>());
  }

 private:
  template <typename F, std::size_t... I>
  static Object* With(const F& f, [[maybe_unused]] Object* const* arguments,
                      [[maybe_unused]] bool convert,
                      std::index_sequence<I...>) {
    std::tuple<KeptType<T>...> kept;
    const bool fits =
        (Convert<KeptType<T>>::Load(arguments[I], convert, std::get<I>(kept)) &&
         ...);
    if (!fits) return nullptr;
    if constexpr (std::is_void_v<R>) {
      f(Pass<T>(std::get<I>(kept))...);
      return coppice_none();
    } else {
      return Convert<KeptType<R>>::Make(f(Pass<T>(std::get<I>(kept))...));
    }
  }
  template <typename P>
  static decltype(auto) Pass(KeptType<P>& kept) {
    if constexpr (std::is_lvalue_reference_v<P>) {
      return (kept);
    } else {
      return std::move(kept);
    }
  }
};
// A lambda's.
template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename R, typename... T>
struct Signature<R (*)(T...)> {
  using type = R (*)(T...);
};
template <typename C, typename R, typename... T>
struct Signature<R (C::*)(T...) const> {
  using type = R (*)(T...);
};

template <typename F>
struct Wrapped {
  F f;
};
template <typename R, typename... T>
Wrapped<R (*)(T...)> wrap_pybind_function(R (*f)(T...)) {
  return {f};
}

}  // namespace lookalike

namespace pybind11 {

struct none {};
struct DefaultArgument {
  const char* name;
  ::lookalike::Object* value;
  const char* type;
};
class arg {
 public:
  constexpr explicit arg(const char* name) : name_(name) {}
  template <typename T>
  DefaultArgument operator=(const T& value) const {
    if constexpr (std::is_same_v<T, std::nullopt_t> ||
                  std::is_same_v<T, none>) {
      return {name_, ::lookalike::coppice_none(), ""};
    } else if constexpr (std::is_convertible_v<T, std::string>) {
      return {name_, ::lookalike::Convert<std::string>::Make(value), ""};
    } else {
      return {name_, ::lookalike::Convert<std::decay_t<T>>::Make(value), ""};
    }
  }
  const char* name() const { return name_; }

 private:
  const char* name_;
};
inline namespace literals {
constexpr arg operator""_a(const char* name, std::size_t) { return arg(name); }
}  // namespace literals

class module_ {
 public:
  explicit module_(::lookalike::Object* module) : object_(module) {}

  template <typename F, typename... Extra>
  module_& def(const char* name, F&& f, const Extra&... extra) {
    using Plain = std::decay_t<F>;
    Define<Plain>(name, std::forward<F>(f), false, extra...);
    return *this;
  }
  template <typename F, typename... Extra>
  module_& def(const char* name, ::lookalike::Wrapped<F> f,
               const Extra&... extra) {
    Define<F>(name, f.f, true, extra...);
    return *this;
  }

  struct Documentation {
    ::lookalike::Object* module;
    void operator=(const char* text) {
      ::lookalike::coppice_document(module, text);
    }
  };
  Documentation doc() { return {object_}; }

 private:
  // What a definition says besides the function.
  struct Extras {
    const char* documentation = "";
    std::vector<::lookalike::Parameter> named;
    void Take(const char* text) { documentation = text; }
    void Take(const arg& a) { named.push_back({a.name(), nullptr, ""}); }
    void Take(const DefaultArgument& a) {
      named.push_back({a.name, a.value, a.type});
    }
  };

  template <typename F, typename... Extra>
  void Define(const char* name, F f, bool torch_errors, const Extra&... extra) {
    using Call = ::lookalike::Call<typename ::lookalike::Signature<F>::type>;
    Extras extras;
    (extras.Take(extra), ...);
    const std::vector<std::string> names = Call::Names();
    std::vector<::lookalike::Parameter> parameters = extras.named;
    if (!parameters.empty() && parameters.size() != names.size()) {
      ::lookalike::coppice_complain(
          ::lookalike::Complaint::kError, __func__, __FILE__, __LINE__,
          "m.def: as many py::arg as the function has parameters");
    }
    parameters.resize(names.size(), {nullptr, nullptr, ""});
    for (std::size_t i = 0; i < names.size(); ++i) {
      parameters[i].type = names[i].c_str();
    }
    const std::string result = Call::ResultName();
    const ::lookalike::Function function = {
        name,
        extras.documentation,
        result.c_str(),
        parameters.data(),
        parameters.size(),
        &Call::template Invoke<F>,
        new F(std::move(f)),  // For as long as the library: for good.
        torch_errors};
    ::lookalike::coppice_define(object_, &function);
  }

  ::lookalike::Object* object_;
};
using module = module_;

}  // namespace pybind11

namespace py = pybind11;

#define PYBIND11_MODULE(name, variable)                                     \
  static void coppice_fill(::pybind11::module_&);                           \
  extern "C" __attribute__((visibility("default"))) void coppice_extension( \
      ::lookalike::Object* module) {                                        \
    ::pybind11::module_ made(module);                                       \
    coppice_fill(made);                                                     \
  }                                                                         \
  static void coppice_fill([[maybe_unused]] ::pybind11::module_& variable)
#endif
