#include "agents/catalogue/cuda/device_catalogue.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agents/catalogue/cuda/product.h"

namespace coppice::agents::catalogue::cuda {
namespace {

struct Entry {
  std::string_view name;
  DeviceOutcome (*apply)(const DeviceSite&, const Technique&);
};

constexpr std::array kEntries = {
    Entry{"bins", SharedBins},      Entry{"coarsen", Coarsen},
    Entry{"exchange", Exchange},    Entry{"math", QuickMath},
    Entry{"mma", MmaProduct},       Entry{"restrict", RestrictPointers},
    Entry{"rows", ShareRows},       Entry{"stride", Stride},
    Entry{"tensor", TensorProduct}, Entry{"threads", Threads},
    Entry{"tile", TileProduct},     Entry{"unroll", UnrollLoop},
    Entry{"vector", PackElements},  Entry{"wgmma", WgmmaProduct},
};

tl::expected<std::string, std::string> RewriteOnce(const std::string& text,
                                                   const Technique& technique) {
  const auto entry =
      std::find_if(kEntries.begin(), kEntries.end(),
                   [&](const Entry& e) { return e.name == technique.name; });
  if (entry == kEntries.end()) {
    return NoReason("`" + technique.name + "` is not in the catalogue");
  }
  const auto source = ParseDeviceSource(text);
  if (!source) return NoReason(source.error());
  const DeviceKernel* kernel = source->FindKernel(technique.Arg(0));
  if (kernel == nullptr) {
    return NoReason("there is no kernel " + technique.Arg(0));
  }
  const SourceLaunch* launch = source->OnlyLaunch(kernel->name);
  if (launch == nullptr) {
    return NoReason(kernel->name + " is not launched exactly once");
  }
  const auto edit =
      entry->apply(DeviceSite{*source, *kernel, *launch}, technique);
  if (!edit) return NoReason(Print(technique) + ": " + edit.error());
  return ApplyEdit(*source, *kernel, *edit);
}

}  // namespace

tl::expected<std::string, std::string> RewriteDevice(
    const std::string& source, const std::vector<Technique>& techniques,
    const std::string& root) {
  std::string text = source;
  for (const Technique& technique : techniques) {
    if (technique.name == kFromRoot) {
      text = root;
      continue;
    }
    auto rewritten = RewriteOnce(text, technique);
    if (!rewritten) return rewritten;
    text = std::move(*rewritten);
  }
  if (text == source) return NoReason("nothing would change");
  return text;
}

}  // namespace coppice::agents::catalogue::cuda
