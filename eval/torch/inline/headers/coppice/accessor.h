// Elements by index: of tensors on the host, and for kernels by value.
#pragma once

#include <coppice/types.h>

namespace lookalike {

template <typename T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <typename T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

// Sizes and strides are somebody else's.
template <typename T, std::size_t N,
          template <typename> class Traits = DefaultPtrTraits,
          typename Index = std::int64_t>
class TensorAccessor {
 public:
  COPPICE_BOTH TensorAccessor(typename Traits<T>::PtrType data,
                              const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  COPPICE_BOTH Index size(Index d) const { return sizes_[d]; }
  COPPICE_BOTH Index stride(Index d) const { return strides_[d]; }
  COPPICE_BOTH typename Traits<T>::PtrType data() const { return data_; }
  COPPICE_BOTH decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i,
                                                     sizes_ + 1, strides_ + 1);
    }
  }

 private:
  typename Traits<T>::PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

template <typename T, std::size_t N, template <typename> class Traits,
          typename Index>
class GenericPackedTensorAccessor {
 public:
  template <typename Wide>
  GenericPackedTensorAccessor(typename Traits<T>::PtrType data,
                              const Wide* sizes, const Wide* strides)
      : data_(data) {
    for (std::size_t d = 0; d < N; ++d) {
      sizes_[d] = static_cast<Index>(sizes[d]);
      strides_[d] = static_cast<Index>(strides[d]);
    }
  }
  COPPICE_BOTH Index size(Index d) const { return sizes_[d]; }
  COPPICE_BOTH Index stride(Index d) const { return strides_[d]; }
  COPPICE_BOTH typename Traits<T>::PtrType data() const { return data_; }
  COPPICE_BOTH decltype(auto) operator[](Index i) const {
    return TensorAccessor<T, N, Traits, Index>(data_, sizes_, strides_)[i];
  }

 private:
  typename Traits<T>::PtrType data_;
  Index sizes_[N];
  Index strides_[N];
};

template <typename T, std::size_t N,
          template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 =
    GenericPackedTensorAccessor<T, N, Traits, std::int32_t>;
template <typename T, std::size_t N,
          template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 =
    GenericPackedTensorAccessor<T, N, Traits, std::int64_t>;

}  // namespace lookalike
