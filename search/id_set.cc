#include "search/id_set.h"

#include <bit>
#include <cassert>

namespace coppice::search {
namespace {

constexpr std::int64_t kBits = 64;

std::size_t WordOf(NodeId id) {
  return static_cast<std::size_t>(Index(id) / kBits);
}

std::uint64_t BitOf(NodeId id) {
  return std::uint64_t{1} << (Index(id) % kBits);
}

std::size_t LowBit(std::size_t i) { return i & (~i + 1); }

}  // namespace

void IdSet::Insert(NodeId id) {
  if (Contains(id)) return;
  const std::size_t word = WordOf(id);
  Grow(word + 1);
  words_[word] |= BitOf(id);
  AddToSums(word, +1);
}

void IdSet::Erase(NodeId id) {
  if (!Contains(id)) return;
  words_[WordOf(id)] &= ~BitOf(id);
  AddToSums(WordOf(id), -1);
}

bool IdSet::Contains(NodeId id) const {
  const std::size_t word = WordOf(id);
  return word < words_.size() && (words_[word] & BitOf(id)) != 0;
}

NodeId IdSet::At(std::int64_t k) const {
  assert(k >= 0 && k < count_);
  std::size_t word = 0;  // Words that lie wholly before the k-th member.
  for (std::size_t step = std::bit_floor(sums_.size()); step > 0; step /= 2) {
    const std::size_t next = word + step;
    if (next <= sums_.size() && sums_[next - 1] <= k) {
      k -= sums_[next - 1];
      word = next;
    }
  }
  std::uint64_t bits = words_[word];
  for (; k > 0; --k) bits &= bits - 1;
  return NodeId{static_cast<std::int64_t>(word) * kBits +
                std::countr_zero(bits)};
}

void IdSet::Grow(std::size_t words) {
  while (words_.size() < words) {
    words_.push_back(0);
    const std::size_t i = words_.size();
    std::int32_t sum = 0;
    for (std::size_t j = i - 1; j > i - LowBit(i); j -= LowBit(j)) {
      sum += sums_[j - 1];
    }
    sums_.push_back(sum);
  }
}

void IdSet::AddToSums(std::size_t word, int change) {
  count_ += change;
  for (std::size_t i = word + 1; i <= sums_.size(); i += LowBit(i)) {
    sums_[i - 1] += change;
  }
}

}  // namespace coppice::search
