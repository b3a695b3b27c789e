// torch::Tensor as candidates use it.  What is missing here does not compile,
// and so is compiled with torch's own headers.
#pragma once

#include <coppice/accessor.h>
#include <coppice/check.h>
#include <coppice/operators.h>

namespace lookalike {

struct DeprecatedTypeProperties {
  ScalarType type;
  bool cuda;
  ScalarType scalarType() const { return type; }
  bool is_cuda() const { return cuda; }
};

// Copies share the elements, as torch's do.  Holds one pointer and nothing
// else: an array of tensors is an array of Impl*.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other)
      : impl_(other.impl_ ? coppice_retain(other.impl_) : nullptr) {}
  Tensor(Tensor&& other) noexcept
      : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() {
    if (impl_) coppice_release(impl_);
  }
  // Takes a reference over, or gives it away.
  static Tensor Adopt(Impl* impl) {
    Tensor tensor;
    tensor.impl_ = impl;
    return tensor;
  }
  Impl* Release() { return std::exchange(impl_, nullptr); }
  Impl* impl() const { return impl_; }

  bool defined() const { return impl_ != nullptr; }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  void reset() { *this = Tensor(); }

  std::int64_t dim() const { return static_cast<std::int64_t>(sizes().size()); }
  std::int64_t ndimension() const { return dim(); }
  std::int64_t size(std::int64_t d) const { return coppice_size(impl_, d); }
  std::int64_t stride(std::int64_t d) const { return coppice_stride(impl_, d); }
  IntArrayRef sizes() const {
    std::size_t rank = 0;
    const std::int64_t* sizes = coppice_sizes(impl_, &rank);
    return IntArrayRef(sizes, rank);
  }
  IntArrayRef strides() const {
    std::size_t rank = 0;
    const std::int64_t* strides = coppice_strides(impl_, &rank);
    return IntArrayRef(strides, rank);
  }
  std::int64_t numel() const { return coppice_numel(impl_); }
  std::int64_t storage_offset() const { return coppice_storage_offset(impl_); }
  std::size_t element_size() const { return elementSize(scalar_type()); }
  std::int64_t itemsize() const {
    return static_cast<std::int64_t>(element_size());
  }
  std::size_t nbytes() const {
    return static_cast<std::size_t>(numel()) * element_size();
  }

  TensorOptions options() const {
    return TensorOptions(coppice_options(impl_));
  }
  ScalarType scalar_type() const {
    return static_cast<ScalarType>(coppice_options(impl_).dtype);
  }
  TypeMeta dtype() const { return TypeMeta(scalar_type()); }
  Device device() const { return options().device(); }
  DeviceIndex get_device() const { return device().index(); }
  bool is_cuda() const { return device().is_cuda(); }
  bool is_cpu() const { return device().is_cpu(); }
  bool requires_grad() const {
    return coppice_options(impl_).requires_grad == 1;
  }
  bool is_floating_point() const {
    const ScalarType type = scalar_type();
    return type == kHalf || type == kFloat || type == kDouble ||
           type == kBFloat16;
  }
  DeprecatedTypeProperties type() const { return {scalar_type(), is_cuda()}; }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return coppice_is_contiguous(impl_, static_cast<std::int32_t>(format));
  }
  bool is_alias_of(const Tensor& other) const {
    return coppice_is_alias_of(impl_, other.impl_);
  }

  void* data_ptr() const { return coppice_data(impl_, -1, true); }
  void* mutable_data_ptr() const { return data_ptr(); }
  const void* const_data_ptr() const { return coppice_data(impl_, -1, false); }
  template <typename T>
  T* data_ptr() const {
    return static_cast<T*>(coppice_data(
        impl_, static_cast<std::int32_t>(TypeOf<std::remove_const_t<T>>::value),
        !std::is_const_v<T>));
  }
  template <typename T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <typename T>
  const std::remove_const_t<T>* const_data_ptr() const {
    return data_ptr<const std::remove_const_t<T>>();
  }
  template <typename T>
  T* data() const {
    return data_ptr<T>();
  }

  template <typename T, std::size_t N>
  TensorAccessor<T, N> accessor() const {
    CheckRank(N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  template <typename T, std::size_t N,
            template <typename> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, Traits> packed_accessor32() const {
    CheckRank(N);
    TORCH_CHECK(numel() <= 2147483647,
                "numel needs to be smaller than int32_t max; otherwise, please "
                "use packed_accessor64");
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  template <typename T, std::size_t N,
            template <typename> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, Traits> packed_accessor64() const {
    CheckRank(N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }

  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return Adopt(coppice_contiguous(impl_, static_cast<std::int32_t>(format)));
  }
  Tensor to(const TensorOptions& options, bool non_blocking = false,
            bool copy = false) const {
    return Adopt(coppice_to(impl_, options.choices(), non_blocking, copy));
  }
  Tensor to(ScalarType type, bool non_blocking = false,
            bool copy = false) const {
    return to(TensorOptions(type), non_blocking, copy);
  }
  Tensor to(Device device, ScalarType type, bool non_blocking = false,
            bool copy = false) const {
    return to(TensorOptions(device).dtype(type), non_blocking, copy);
  }
  Tensor toType(ScalarType type) const { return to(type); }
  Tensor cpu() const { return to(TensorOptions(kCPU)); }
  Tensor cuda() const { return to(TensorOptions(kCUDA)); }
  template <typename T>
  T item() const;

  Tensor operator[](std::int64_t index) const { return select(0, index); }

#define COPPICE_METHOD(name, overload, parameters, ...)         \
  Tensor name parameters const {                                \
    return One(COPPICE_OP(#name, overload), *this __VA_ARGS__); \
  }
#define COPPICE_INPLACE(name, overload, parameters, ...) \
  const Tensor& name parameters const {                  \
    One(COPPICE_OP(#name, overload), *this __VA_ARGS__); \
    return *this;                                        \
  }
  using Dim = std::int64_t;
  using Dims = std::optional<std::int64_t>;
  COPPICE_METHOD(clone, "", ())
  COPPICE_METHOD(detach, "", ())
  COPPICE_METHOD(view, "", (IntArrayRef sizes), , sizes)
  COPPICE_METHOD(reshape, "", (IntArrayRef sizes), , sizes)
  COPPICE_METHOD(flatten, "using_ints", (Dim from = 0, Dim to = -1), , from, to)
  COPPICE_METHOD(transpose, "int", (Dim a, Dim b), , a, b)
  COPPICE_METHOD(t, "", ())
  COPPICE_METHOD(permute, "", (IntArrayRef order), , order)
  COPPICE_METHOD(squeeze, "", ())
  COPPICE_METHOD(squeeze, "dim", (Dim d), , d)
  COPPICE_METHOD(unsqueeze, "", (Dim d), , d)
  COPPICE_METHOD(expand, "", (IntArrayRef sizes), , sizes)
  COPPICE_METHOD(expand_as, "", (const Tensor& other), , other)
  COPPICE_METHOD(view_as, "", (const Tensor& other), , other)
  COPPICE_METHOD(narrow, "", (Dim d, Dim from, Dim length), , d, from, length)
  COPPICE_METHOD(select, "int", (Dim d, Dim index), , d, index)
  COPPICE_METHOD(slice, "Tensor",
                 (Dim d = 0, Dims from = std::nullopt, Dims to = std::nullopt,
                  Dim step = 1),
                 , d, from, to, step)
  COPPICE_METHOD(abs, "", ())
  COPPICE_METHOD(exp, "", ())
  COPPICE_METHOD(log, "", ())
  COPPICE_METHOD(neg, "", ())
  COPPICE_METHOD(relu, "", ())
  COPPICE_METHOD(rsqrt, "", ())
  COPPICE_METHOD(sigmoid, "", ())
  COPPICE_METHOD(sqrt, "", ())
  COPPICE_METHOD(tanh, "", ())
  COPPICE_METHOD(sum, "", ())
  COPPICE_METHOD(sum, "dim_IntList", (IntArrayRef dims, bool keep = false), ,
                 dims, keep)
  COPPICE_METHOD(mean, "", ())
  COPPICE_METHOD(mean, "dim", (IntArrayRef dims, bool keep = false), , dims,
                 keep)
  COPPICE_METHOD(max, "", ())
  COPPICE_METHOD(min, "", ())
  COPPICE_METHOD(all, "", ())
  COPPICE_METHOD(any, "", ())
  COPPICE_METHOD(softmax, "int", (Dim d), , d)
  COPPICE_METHOD(matmul, "", (const Tensor& b), , b)
  COPPICE_METHOD(mm, "", (const Tensor& b), , b)
  COPPICE_METHOD(bmm, "", (const Tensor& b), , b)
  COPPICE_METHOD(add, "Tensor", (const Tensor& b), , b)
  COPPICE_METHOD(sub, "Tensor", (const Tensor& b), , b)
  COPPICE_METHOD(mul, "Tensor", (const Tensor& b), , b)
  COPPICE_METHOD(div, "Tensor", (const Tensor& b), , b)
  COPPICE_METHOD(add, "Scalar", (Scalar b), , b)
  COPPICE_METHOD(sub, "Scalar", (Scalar b), , b)
  COPPICE_METHOD(mul, "Scalar", (Scalar b), , b)
  COPPICE_METHOD(div, "Scalar", (Scalar b), , b)
  COPPICE_METHOD(eq, "Tensor", (const Tensor& b), , b)
  COPPICE_INPLACE(zero_, "", ())
  COPPICE_INPLACE(fill_, "Scalar", (Scalar number), , number)
  COPPICE_INPLACE(copy_, "", (const Tensor& from, bool non_blocking = false), ,
                  from, non_blocking)
  COPPICE_INPLACE(add_, "Tensor", (const Tensor& b), , b)
  COPPICE_INPLACE(sub_, "Tensor", (const Tensor& b), , b)
  COPPICE_INPLACE(mul_, "Tensor", (const Tensor& b), , b)
  COPPICE_INPLACE(div_, "Tensor", (const Tensor& b), , b)
  COPPICE_INPLACE(add_, "Scalar", (Scalar b), , b)
  COPPICE_INPLACE(mul_, "Scalar", (Scalar b), , b)
  COPPICE_INPLACE(div_, "Scalar", (Scalar b), , b)
#undef COPPICE_METHOD
#undef COPPICE_INPLACE

  template <typename... T>
  static Tensor One(const void* op, const T&... arguments) {
    Value result;
    CallInto(op, &result, 1, arguments...);
    return Adopt(result.tensor);
  }

 private:
  void CheckRank(std::size_t rank) const {
    TORCH_CHECK(dim() == static_cast<std::int64_t>(rank),
                "TensorAccessor expected ", rank, " dims but tensor has ",
                dim());
  }

  Impl* impl_ = nullptr;
};
static_assert(sizeof(Tensor) == sizeof(Impl*));

using TensorList = ArrayRef<Tensor>;

inline Value ToValue(const Tensor& tensor) {
  Value value;
  value.kind = Kind::kTensor;
  value.tensor = tensor.impl();
  return value;
}

template <typename T>
T Tensor::item() const {
  Value result;
  CallInto(COPPICE_OP("item", ""), &result, 1, *this);
  return result.kind == Kind::kReal ? static_cast<T>(result.real)
                                    : static_cast<T>(result.integer);
}

inline void Append(Text& text, const Tensor& tensor) {
  const std::size_t length = coppice_print(tensor.impl(), nullptr, 0);
  coppice_print(tensor.impl(), text.Grow(length), length);
}

inline Tensor operator-(const Tensor& a) { return a.neg(); }
#define COPPICE_OPERATOR(op, name)                                        \
  inline Tensor operator op(const Tensor& a, const Tensor& b) {           \
    return a.name(b);                                                     \
  }                                                                       \
  inline Tensor operator op(const Tensor& a, const Scalar& b) {           \
    return a.name(b);                                                     \
  }                                                                       \
  inline const Tensor& operator op##=(const Tensor& a, const Tensor& b) { \
    return a.name##_(b);                                                  \
  }
COPPICE_OPERATOR(+, add)
COPPICE_OPERATOR(-, sub)
COPPICE_OPERATOR(*, mul)
COPPICE_OPERATOR(/, div)
#undef COPPICE_OPERATOR
inline Tensor operator*(const Scalar& a, const Tensor& b) { return b.mul(a); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return b.add(a); }

inline Tensor empty(IntArrayRef sizes, const TensorOptions& options = {}) {
  return Tensor::Adopt(
      coppice_empty(sizes.data(), sizes.size(), options.choices()));
}
inline Tensor empty_like(const Tensor& like,
                         const TensorOptions& options = {}) {
  return Tensor::Adopt(coppice_empty_like(like.impl(), options.choices()));
}

// dtype, layout, device, pinned: as the operators that make tensors want them.
template <typename... T>
Tensor Make(const void* op, const TensorOptions& options, const T&... first) {
  const Choices& c = options.choices();
  std::optional<std::int64_t> type;
  if (c.dtype >= 0) type = c.dtype;
  Value device;
  if (c.device_type >= 0) {
    device.kind = Kind::kDevice;
    device.integer = 256 * c.device_type + c.device_index;
  }
  std::optional<bool> pinned;
  if (c.pinned >= 0) pinned = c.pinned == 1;
  const Value values[] = {ToValue(first)..., ToValue(type), Value{}, device,
                          ToValue(pinned)};
  Value result;
  coppice_call(op, values, sizeof...(first) + 4, &result, 1);
  Tensor made = Tensor::Adopt(result.tensor);
  if (c.requires_grad == 1) {
    Tensor::One(COPPICE_OP("requires_grad_", ""), made, true);
  }
  return made;
}
#define COPPICE_MAKER(name, overload, parameters, ...)              \
  inline Tensor name parameters {                                   \
    return Make(COPPICE_OP(#name, overload), options, __VA_ARGS__); \
  }
#define COPPICE_LIKE(name) \
  COPPICE_MAKER(name, "",  \
                (const Tensor& like, const TensorOptions& options = {}), like)
COPPICE_MAKER(zeros, "", (IntArrayRef sizes, const TensorOptions& options = {}),
              sizes)
COPPICE_MAKER(ones, "", (IntArrayRef sizes, const TensorOptions& options = {}),
              sizes)
COPPICE_MAKER(rand, "", (IntArrayRef sizes, const TensorOptions& options = {}),
              sizes)
COPPICE_MAKER(randn, "", (IntArrayRef sizes, const TensorOptions& options = {}),
              sizes)
COPPICE_MAKER(full, "",
              (IntArrayRef sizes, Scalar number,
               const TensorOptions& options = {}),
              sizes, number)
COPPICE_MAKER(arange, "", (Scalar end, const TensorOptions& options = {}), end)
COPPICE_MAKER(arange, "start",
              (Scalar from, Scalar end, const TensorOptions& options = {}),
              from, end)
COPPICE_MAKER(empty_strided, "",
              (IntArrayRef sizes, IntArrayRef strides,
               const TensorOptions& options = {}),
              sizes, strides)
COPPICE_MAKER(full_like, "",
              (const Tensor& like, Scalar number,
               const TensorOptions& options = {}),
              like, number)
COPPICE_LIKE(zeros_like)
COPPICE_LIKE(ones_like)
COPPICE_LIKE(rand_like)
COPPICE_LIKE(randn_like)
#undef COPPICE_LIKE
#undef COPPICE_MAKER

#define COPPICE_UNARY(name) \
  inline Tensor name(const Tensor& a) { return a.name(); }
#define COPPICE_BINARY(name) \
  inline Tensor name(const Tensor& a, const Tensor& b) { return a.name(b); }
COPPICE_UNARY(abs)
COPPICE_UNARY(exp)
COPPICE_UNARY(log)
COPPICE_UNARY(relu)
COPPICE_UNARY(rsqrt)
COPPICE_UNARY(sigmoid)
COPPICE_UNARY(sqrt)
COPPICE_UNARY(sum)
COPPICE_UNARY(tanh)
COPPICE_BINARY(add)
COPPICE_BINARY(bmm)
COPPICE_BINARY(div)
COPPICE_BINARY(matmul)
COPPICE_BINARY(mm)
COPPICE_BINARY(mul)
COPPICE_BINARY(sub)
#undef COPPICE_UNARY
#undef COPPICE_BINARY
inline Tensor softmax(const Tensor& a, std::int64_t d) { return a.softmax(d); }
inline Tensor sum(const Tensor& a, IntArrayRef dims, bool keep = false) {
  return a.sum(dims, keep);
}
inline Tensor mean(const Tensor& a, IntArrayRef dims, bool keep = false) {
  return a.mean(dims, keep);
}
inline Tensor cat(TensorList tensors, std::int64_t d = 0) {
  return Tensor::One(COPPICE_OP("cat", ""), tensors, d);
}
inline Tensor stack(TensorList tensors, std::int64_t d = 0) {
  return Tensor::One(COPPICE_OP("stack", ""), tensors, d);
}
inline Tensor linear(const Tensor& x, const Tensor& weight,
                     const std::optional<Tensor>& bias = std::nullopt) {
  return Tensor::One(COPPICE_OP("linear", ""), x, weight, bias);
}

template <typename F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain,
                  const F& body) {
  coppice_parallel_for(
      begin, end, grain,
      [](void* context, std::int64_t from, std::int64_t to) {
        (*static_cast<const F*>(context))(from, to);
      },
      const_cast<F*>(&body));
}

template <typename T, typename U>
constexpr COPPICE_BOTH T ceil_div(T a, U b) {
  return (a + b - 1) / b;
}

}  // namespace lookalike
