#include "eval/torch/kernel_worker.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "eval/formats/shapes.h"
#include "eval/torch/trusted_preload.h"

namespace coppice::eval::torch {
namespace {

// More than any machine has: an entry that says so is no tensor.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::string_view kOthers = "others";  // As worker.py has it.

// Types by TensorEntry::dtype: DType, and what worker.py has beside.
constexpr std::array<std::string_view, 16> kTypes = {
    "float32",     "float16",     "bfloat16",   "float8_e4m3fn",
    "float8_e5m2", "float4_e2m1", "int64",      "int32",
    "int16",       "int8",        "bool",       "float64",
    "uint8",       "complex64",   "complex128", "unsupported"};

bool IsOfOtherType(const TensorEntry& entry) {
  return entry.dtype > static_cast<std::uint32_t>(DType::kBool) &&
         entry.dtype < kTypes.size();
}

// None of what it says is believed.
bool IsConsistent(const TensorEntry& entry) {
  if (entry.dtype >= kTypes.size() || entry.rank > kMostDimensions ||
      entry.bytes > kMostBytes) {
    return false;
  }
  std::uint64_t bytes = IsOfOtherType(entry)
                            ? 0
                            : BytesPerElement(static_cast<DType>(entry.dtype));
  for (std::uint32_t i = 0; i < entry.rank; ++i) {
    if (entry.sizes[i] < 0 ||
        static_cast<std::uint64_t>(entry.sizes[i]) > kMostBytes) {
      return false;
    }
    // Neither is more than 2^40: their product could be any number.
    const auto size = static_cast<std::uint64_t>(entry.sizes[i]);
    if (size != 0 && bytes > kMostBytes / size) return false;
    bytes *= size;
  }
  return bytes == entry.bytes;
}

std::string Order(const Construction& construction, const std::string& device) {
  return nlohmann::json{
      {"entry", construction.entry},
      {"style", construction.style == Style::kModule ? "module" : "function"},
      {"init", construction.init},
      {"precision", static_cast<int>(construction.precision)},
      {"device", device}}
      .dump();
}

}  // namespace

std::uint64_t BytesPerElement(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E5M2:
    case DType::kFloat4E2M1:
      return 1;
    default:
      return ElementBytes(dtype);
  }
}

std::string TypeOf(const Returned& tensor) {
  return tensor.other_type.empty()
             ? std::string(kTypes[static_cast<std::size_t>(tensor.dtype)])
             : tensor.other_type;
}

Result<std::unique_ptr<KernelWorker>> KernelWorker::Launch(
    const WorkerOptions& options, WorkerRole role) {
  TRY(worker, Worker::Launch(options, role));
  return std::unique_ptr<KernelWorker>(
      new KernelWorker(std::move(worker), options.device));
}

Result<void> KernelWorker::Map(WorkerRequestKind kind, const std::string& order,
                               int memory) {
  const std::uint64_t may_write = may_write_ ? 1 : 0;
  TRY(mapped,
      worker_->Ask({.kind = kind, .argument = may_write}, order, memory));
  if (mapped.verdict == Verdict::kPassed) return {};
  return Fail(Errc::kUnavailable, "worker.py: " + mapped.log);
}

Result<void> KernelWorker::Show(const InputSlots& inputs) {
  TRY(memory, inputs.OpenToRead());
  return Map(WorkerRequestKind::kMap, inputs.Layout(), memory.get());
}

Result<Reaction> KernelWorker::Load(const std::string& source, bool tf32) {
  if (const MentionedCompilers tools = ToolsOf(source, device_); tools.Any()) {
    TRY(equipped, worker_->Ask({.kind = WorkerRequestKind::kEquip},
                               EquipOrder(tools, device_)));
    if (equipped.verdict != Verdict::kPassed) {
      return Fail(Errc::kUnavailable, "worker.py: " + equipped.log);
    }
  }
  // Bytes that are no text become a complaint of Python's.
  const std::string order =
      nlohmann::json{{"source", source}, {"tf32", tf32}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace);
  has_loaded_ = true;
  return worker_->Ask({.kind = WorkerRequestKind::kLoad}, order);
}

Result<Reaction> KernelWorker::Prepare(const std::string& source,
                                       const Construction& construction,
                                       const State* state) {
  if (!has_loaded_) {
    TRY(loaded, Load(source, construction.tf32));
    if (loaded.verdict != Verdict::kPassed) return loaded;
  }
  TRY(constructed, worker_->Ask({.kind = WorkerRequestKind::kConstruct,
                                 .seed = construction.seed},
                                Order(construction, device_)));
  if (constructed.verdict != Verdict::kPassed || state == nullptr ||
      state->values == nullptr) {
    return constructed;
  }
  auto order = nlohmann::json::parse(state->values->Layout());
  order["names"] = nlohmann::json::parse(state->names);
  TRY(values, state->values->OpenToRead());
  TRY(adopted, worker_->Ask({.kind = WorkerRequestKind::kAdopt}, order.dump(),
                            values.get()));
  had_others_ =
      adopted.verdict == Verdict::kPassed && worker_->Text() == kOthers;
  return adopted;
}

std::vector<Returned> ShapesOf(const std::vector<TensorEntry>& entries) {
  std::vector<Returned> outputs;
  for (const TensorEntry& entry : entries) {
    Returned& one = outputs.emplace_back();
    if (!IsConsistent(entry)) continue;
    if (IsOfOtherType(entry)) {
      one.other_type = kTypes[entry.dtype];
    } else {
      one.dtype = static_cast<DType>(entry.dtype);
    }
    one.sizes.assign(entry.sizes.begin(), entry.sizes.begin() + entry.rank);
  }
  return outputs;
}

std::vector<Returned> KernelWorker::Outputs() const {
  const std::vector<TensorEntry> entries = worker_->Tensors();
  std::vector<Returned> outputs = ShapesOf(entries);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!IsConsistent(entries[i])) continue;
    outputs[i].bytes.resize(entries[i].bytes);
    if (!worker_->Read(entries[i].address, outputs[i].bytes)) {
      outputs[i].bytes.clear();
    }
  }
  return outputs;
}

}  // namespace coppice::eval::torch
