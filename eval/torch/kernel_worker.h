// A worker that runs a candidate, or the root: both in the same way, so that
// they can be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/torch/inputs.h"
#include "eval/torch/worker.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval::torch {

// A module is constructed and then called, a function is called.
enum class Style { kModule, kFunction };

struct Construction {
  std::string entry = "ModelNew";
  Style style = Style::kModule;
  std::string init = "[]";  // A module's arguments, as a Python literal.
  DType precision = DType::kFloat32;
  std::uint64_t seed = 0;
  bool tf32 = false;  // In cuDNN, where torch has it by default.
};

// Takes torch's types: eval/formats/shapes.h knows no float8.
std::uint64_t BytesPerElement(DType dtype);

struct Returned {
  DType dtype = DType::kFloat32;
  // "float64": it is of that type, which is none of DType.  Has no bytes.
  std::string other_type{};
  std::vector<std::int64_t> sizes;
  std::vector<std::byte> bytes;
};

// "float16", as torch has it.
std::string TypeOf(const Returned& tensor);

// What a kernel worker says that it returned, without any bytes.  What cannot
// be such a tensor has neither type nor sizes.
std::vector<Returned> ShapesOf(const std::vector<TensorEntry>& entries);

// The parameters and buffers of a module by their names.
struct State {
  std::string names;  // A JSON array.
  std::vector<TensorEntry> entries;
  std::unique_ptr<InputSlots> values;  // One slot.
};

class KernelWorker {
 public:
  static Result<std::unique_ptr<KernelWorker>> Launch(
      const WorkerOptions& options, WorkerRole role = WorkerRole::kKernel);

  Result<void> Ready() { return worker_->Ready(); }
  const std::string& device_name() const { return worker_->device_name(); }
  const std::string& architecture() const { return worker_->architecture(); }
  const std::string& device_uuid() const { return worker_->device_uuid(); }

  // Has `extensions` compile for it from now on.  See WorkerOptions.
  void CompileBy(Extensions* extensions) { worker_->CompileBy(extensions); }

  // Each may take so long from now on, or longer if it might already.
  void AllowCalls(double seconds) { worker_->AllowCalls(seconds); }

  // Shows it memory, of which `order` tells the layout.  A failure is ours as
  // long as it was given no code; after that it may be the candidate's doing.
  // REQUIRES: Ready().
  Result<void> Map(WorkerRequestKind kind, const std::string& order,
                   int memory);

  // From now on it may write to the inputs on a device that it is shown.
  void AllowWrites() { may_write_ = true; }

  // Shows it the inputs of calls.
  Result<void> Show(const InputSlots& inputs);

  // Loads, unless it has loaded, constructs and, if `state` is not null, takes
  // over parameters that are named and shaped as those there.
  // REQUIRES: Ready(), and always the same source.
  Result<Reaction> Prepare(const std::string& source,
                           const Construction& construction,
                           const State* state);

  // Whether it was constructed with parameters other than those that it has
  // taken over; and gives it back its own.
  bool HadOthers() const { return had_others_; }
  Result<Reaction> Restore() {
    return worker_->Ask({.kind = WorkerRequestKind::kRestore});
  }

  // Whether there is somebody's code in it.
  bool HasLoaded() const { return has_loaded_; }

  // Has it let go of memory that it was shown, and of what it returned.  After
  // that it may be shown other memory, and be prepared again.
  Result<Reaction> Part() {
    return worker_->Ask({.kind = WorkerRequestKind::kPart});
  }

  // kNothing, kCall, kAudit or kProfile.  The clock runs from before anything
  // in the process may until its answer is seen.
  Result<Reaction> Ask(const WorkerRequest& request) {
    return worker_->Ask(request);
  }

  // The same in steps: see Worker.
  void Begin(const WorkerRequest& request) { worker_->Begin(request); }
  Result<Reaction> Answer() { return worker_->Answer(); }
  void End(Reaction& reaction) { worker_->End(reaction); }

  // After a kAudit: which operations of torch's it called, as a JSON array;
  // after a kProfile: what ParseOperators() reads.  A candidate may tell
  // anything.
  std::string Operations() const { return worker_->Text(); }

  // What the last call returned.  What is no tensor of ours, or not there, has
  // no bytes.
  std::vector<Returned> Outputs() const;

  // The same without any bytes.
  std::vector<Returned> Shapes() const { return ShapesOf(worker_->Tensors()); }

  // A descriptor that it says to have, for us.  Invalid, with errno, if it has
  // none.
  UniqueFd Fetch(int number) const { return worker_->Fetch(number); }

  // The descriptor of the memory that it leaves notes in.  Not the caller's.
  int notes() const { return worker_->notes(); }

  double compile_s() const { return worker_->compile_s(); }

  // As Worker has it.
  Result<std::optional<int>> Finish(double limit_s) {
    return worker_->Finish(limit_s);
  }

  // What it printed.
  std::string Output() const { return worker_->Output(); }

 private:
  KernelWorker(std::unique_ptr<Worker> worker, std::string device)
      : worker_(std::move(worker)), device_(std::move(device)) {}

  Result<Reaction> Load(const std::string& source, bool tf32);

  std::unique_ptr<Worker> worker_;
  std::string device_;
  bool has_loaded_ = false;
  bool had_others_ = false;
  bool may_write_ = false;
};

}  // namespace coppice::eval::torch
