#include "eval/torch/inputs.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "eval/cpu/runner/protocol.h"
#include "eval/torch/worker.h"
#include "store/records/task.h"

namespace coppice::eval::torch {
namespace {

bool IsScalar(const TensorEntry& entry) { return entry.rank == kScalarRank; }

bool SameShape(const TensorEntry& a, const TensorEntry& b) {
  return a.dtype == b.dtype && a.rank == b.rank && a.bytes == b.bytes &&
         a.sizes == b.sizes;
}

// The format by which struct.unpack reads eight bytes.
const char* ScalarFormat(std::uint32_t dtype) {
  switch (static_cast<DType>(dtype)) {
    case DType::kFloat32:
      return "<d";
    case DType::kBool:
      return "<?";
    default:
      return "<q";
  }
}

}  // namespace

Result<InputSlots> InputSlots::Create(const std::vector<TensorEntry>& entries,
                                      std::uint32_t slots) {
  InputSlots made;
  made.entries_ = entries;
  for (const TensorEntry& entry : entries) {
    made.offsets_.push_back(made.stride_);
    // Each begins a page of its own, as what torch allocates is well aligned.
    made.stride_ += (entry.bytes / kPageBytes + 1) * kPageBytes;
  }
  made.stride_ = std::max(made.stride_, kPageBytes);
  TRY_ASSIGN(made.memory_, SharedMemory::Create("inputs", made.stride_ * slots,
                                                Sharing::kReadOnly));
  return made;
}

Result<void> InputSlots::Fill(std::uint32_t slot, const Worker& problem) {
  const std::vector<TensorEntry> drawn = problem.Tensors();
  if (!std::ranges::equal(drawn, entries_, SameShape)) {
    return Fail(Errc::kUsage,
                "get_inputs() returns other shapes or types from call to call");
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    std::byte* const place = memory_.data() + slot * stride_ + offsets_[i];
    if (IsScalar(drawn[i])) {
      std::memcpy(place, &drawn[i].address, sizeof drawn[i].address);
    } else if (!problem.Read(drawn[i].address, {place, drawn[i].bytes})) {
      return Fail(Errc::kUnavailable,
                  "process_vm_readv: the inputs cannot be read; "
                  "kernel.yama.ptrace_scope must be 0 or 1");
    }
  }
  return {};
}

std::string InputSlots::Layout() const {
  nlohmann::json inputs = nlohmann::json::array();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TensorEntry& entry = entries_[i];
    nlohmann::json one = {{"offset", offsets_[i]}};
    if (IsScalar(entry)) {
      one["scalar"] = ScalarFormat(entry.dtype);
    } else {
      const std::vector<std::int64_t> shape(entry.sizes.begin(),
                                            entry.sizes.begin() + entry.rank);
      std::int64_t elements = 1;
      for (const std::int64_t size : shape) elements *= size;
      one["dtype"] = entry.dtype;
      one["shape"] = shape;
      one["elements"] = elements;
    }
    inputs.push_back(std::move(one));
  }
  return nlohmann::json{
      {"bytes", memory_.size()}, {"stride", stride_}, {"inputs", inputs}}
      .dump();
}

}  // namespace coppice::eval::torch
