#include "engine/campaign/machine_remarks.h"

#include <algorithm>
#include <utility>

#include "store/records/formatted.h"

namespace coppice::engine {
namespace {

// Above it a kernel that is a tenth faster is not told from its root at once.
constexpr double kMuchSpread = 0.05;

Remark Of(const std::string& part, const Result<std::string>& found,
          const std::string& cost) {
  return found ? Remark{part, true, *found}
               : Remark{part, false, found.error().what + "; " + cost};
}

Remark Of(const std::string& part, const std::optional<std::string>& found,
          const std::string& cost) {
  return found ? Remark{part, true, *found} : Remark{part, false, cost};
}

Remark OnNoise(const Inventory& inventory) {
  const std::string spread = Formatted(
      "%.3g %% between the quartiles of equal work", 100.0 * inventory.spread);
  if (!inventory.disturbance.empty()) {
    return {"noise", false,
            inventory.disturbance + ", " + spread +
                "; rounds are made again, and intervals are wider"};
  }
  if (inventory.spread > kMuchSpread) {
    return {"noise", false,
            spread + "; intervals are wider, and small gains are not told"};
  }
  return {"noise", true, spread};
}

Remark OnTorch(const Inventory& inventory, bool has_gpu) {
  if (!inventory.torch) {
    return {
        "torch", false,
        inventory.torch.error().what + "; tasks in PyTorch cannot be judged"};
  }
  const Inventory::Torch& torch = *inventory.torch;
  if (has_gpu && !torch.has_cuda) {
    return {
        "torch", false,
        torch.text + " is built without CUDA; its tasks run on the processor"};
  }
  if (has_gpu && !torch.has_triton) {
    return {"torch", false,
            torch.text + "; without Triton, kernels in it cannot be judged"};
  }
  return {"torch", true,
          torch.text + (has_gpu ? "" : "; its tasks run on the processor")};
}

Remark OnPage(const Inventory& inventory) {
  if (inventory.has_page) return {"page", true, "`coppice serve` shows it"};
  return {"page", false,
          "the program was built without it, so that `coppice serve` answers "
          "programs alone; `scripts/setup page`, and build again"};
}

// Whether any is visible.
bool AddGpus(const Inventory& inventory, std::vector<Remark>& remarks) {
  if (!inventory.gpus) {
    remarks.push_back({"GPU", false,
                       inventory.gpus.error().what +
                           "; CUDA tasks cannot be judged, all others can"});
    return false;
  }
  for (const Inventory::Gpu& gpu : *inventory.gpus) {
    remarks.push_back(
        {"GPU", gpu.is_visible,
         gpu.text + (gpu.is_visible
                         ? ""
                         : "; hidden by CUDA_VISIBLE_DEVICES, so not used")});
  }
  return std::ranges::any_of(*inventory.gpus, &Inventory::Gpu::is_visible);
}

void AddTools(const Inventory& inventory, std::vector<Remark>& remarks) {
  remarks.push_back(Of("CUDA toolkit", inventory.toolkit,
                       "CUDA C++ cannot be compiled; install it, or name its "
                       "folder in CUDA_PATH"));
  if (!inventory.toolkit) return;
  remarks.push_back(
      Of("nvcc", inventory.nvcc,
         "kernels with host code, and extensions of PyTorch's, cannot be "
         "compiled"));
  remarks.push_back(Of("compute-sanitizer", inventory.sanitizers,
                       "not found; leaders are not sanitized"));
  const std::string without =
      "profiles go without memory traffic, occupancy and cache hits";
  if (!inventory.nsight) {
    remarks.push_back({"ncu", false, "not found; " + without});
  } else if (!inventory.may_count) {
    remarks.push_back(
        {"ncu", false,
         *inventory.nsight +
             "; counters are kept for administrators: " + without +
             "; the driver's option NVreg_RestrictProfilingToAdminUsers=0 "
             "allows them"});
  } else {
    remarks.push_back({"ncu", true, *inventory.nsight});
  }
}

}  // namespace

std::vector<Remark> RemarksOn(const Inventory& inventory) {
  std::vector<Remark> remarks = {
      Of("sandbox", inventory.sandbox, "nothing can be judged"),
      Of("C++ compiler", inventory.compiler,
         inventory.sandbox
             ? "no C++ kernel can be judged; install g++"
             : "it works in the sandbox, which must be there first"),
      OnNoise(inventory)};
  const bool has_gpu = AddGpus(inventory, remarks);
  if (has_gpu) AddTools(inventory, remarks);
  remarks.push_back(OnTorch(inventory, has_gpu));
  remarks.push_back(Of("certificates", inventory.certificates,
                       "no model can be asked over HTTPS"));
  remarks.push_back(OnPage(inventory));
  return remarks;
}

bool CanRunOnProcessor(const Inventory& inventory) {
  return inventory.sandbox && inventory.compiler;
}

}  // namespace coppice::engine
