#include "store/records/profile.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "store/records/formatted.h"

namespace coppice {
namespace {

// Below this share of both roofs a kernel waits rather than works: the rule of
// Nsight Compute's section "GPU Speed Of Light".
constexpr double kBusyShare = 0.6;
// Below this one it would be wrong to call it bound by the roof over it.
constexpr double kFarShare = 0.1;
constexpr std::size_t kMostKernels = 3;  // In words.

// Three digits: "1.05", "37.2", "640".
std::string Digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string digits = Formatted("%.*f", decimals, value);
  if (digits.find('.') == digits.npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

struct Scale {
  double factor;
  const char* prefix;
};

// The largest in which `value` is 1 or more.
Scale ScaleOf(double value) {
  constexpr Scale kScales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const Scale& scale : kScales) {
    if (value >= 0.9995 * scale.factor) return scale;
  }
  return {1.0, ""};
}

std::string Amount(double value, const std::string& unit) {
  const Scale scale = ScaleOf(value);
  return Digits(value / scale.factor) + " " + scale.prefix + unit;
}

// "16.4 thousand cache misses".
std::string Count(double value, const std::string& things) {
  if (value >= 0.9995e9) return Digits(value / 1e9) + " billion " + things;
  if (value >= 0.9995e6) return Digits(value / 1e6) + " million " + things;
  if (value >= 0.9995e3) return Digits(value / 1e3) + " thousand " + things;
  return Digits(value) + " " + things;
}

// "12.1 of 28.2 GB/s".
std::string Of(double value, double most, const std::string& unit) {
  const Scale scale = ScaleOf(std::max(value, most));
  return Digits(value / scale.factor) + " of " + Digits(most / scale.factor) +
         " " + scale.prefix + unit;
}

std::string Time(double seconds) {
  if (seconds >= 0.9995) return Digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return Digits(seconds * 1e3) + " ms";
  if (seconds >= 0.9995e-6) return Digits(seconds * 1e6) + " us";
  return Digits(seconds * 1e9) + " ns";
}

std::string Percent(double share) {
  return Formatted("%.*f %%", share < 0.095 ? 1 : 0, 100.0 * share);
}

double MemorySeconds(const Profile& profile) {
  return profile.roof_bytes_per_s > 0.0
             ? profile.bytes / profile.roof_bytes_per_s
             : 0.0;
}

double ArithmeticSeconds(const Profile& profile) {
  return profile.roof_flops_per_s > 0.0
             ? profile.flops / profile.roof_flops_per_s
             : 0.0;
}

double ShareOf(const Profile& profile) {
  return FloorSeconds(profile) / profile.runtime_s;
}

// "memory bound at 43 %", "at 0.1 % of the bandwidth".
std::string BoundText(const Profile& profile) {
  const bool memory = BottleneckOf(profile) == Bottleneck::kMemory;
  const std::string share = Percent(ShareOf(profile));
  if (IsFarBelowRooflines(profile)) {
    return "at " + share + (memory ? " of the bandwidth" : " of the peak");
  }
  return (memory ? "memory bound at " : "arithmetic bound at ") + share;
}

std::string BoundSentence(const Profile& profile) {
  const bool memory = BottleneckOf(profile) == Bottleneck::kMemory;
  std::string text = memory ? "memory" : "arithmetic";
  if (IsFarBelowRooflines(profile)) {
    text = "far below the " + text + " roof: ";
  } else {
    text += " bound at ";
  }
  text += Percent(ShareOf(profile)) + " of the ";
  text += memory
              ? "measured bandwidth (" + Of(profile.bytes / profile.runtime_s,
                                            profile.roof_bytes_per_s, "B/s")
              : "peak (" + Of(profile.flops / profile.runtime_s,
                              profile.roof_flops_per_s, "flop/s");
  return text + ").";
}

std::string WorkSentence(const Profile& profile) {
  std::string text = " A call must move at least " + Amount(profile.bytes, "B");
  if (profile.flops > 0.0) text += " and do " + Amount(profile.flops, "flop");
  return text + ": " + Time(FloorSeconds(profile)) +
         " at that speed; it takes " + Time(profile.runtime_s) + ".";
}

std::string SlackSentence(const Profile& profile) {
  if (ShareOf(profile) >= kBusyShare) return "";
  return std::string(" The rest goes to ") +
         (profile.flops > 0.0 ? "" : "arithmetic (not stated), ") +
         "latency, other instructions or repeated traffic.";
}

std::string CountersSentence(const Counters& counters) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? " Counted per call: " : ", ") + part;
  };
  if (counters.instructions) {
    std::string part = Count(*counters.instructions, "instructions");
    if (counters.cycles.value_or(0.0) > 0.0) {
      part += " at " + Digits(*counters.instructions / *counters.cycles) +
              " a cycle";
    }
    add(part);
  }
  if (counters.cache_misses) {
    add(Count(*counters.cache_misses, "cache misses"));
  }
  if (counters.branch_misses) {
    add(Count(*counters.branch_misses, "mispredicted branches"));
  }
  if (counters.page_faults.value_or(0.0) >= 0.5) {
    add(Count(*counters.page_faults, "page faults"));
  }
  return text.empty() ? "" : text + ".";
}

// "row_partial (1 launch, 81 % of their time, 40 registers, ...)".
std::string KernelText(const KernelProfile& kernel, double all_s) {
  std::string text = kernel.name + " (" + std::to_string(kernel.calls) +
                     (kernel.calls == 1 ? " launch" : " launches");
  if (kernel.total_s) {
    text += ", " + Time(*kernel.total_s);
    if (kernel.calls > 1) {
      text += ", " + Time(*kernel.total_s / static_cast<double>(kernel.calls)) +
              " each";
    }
    if (*kernel.total_s < all_s) {
      text += ": " + Percent(*kernel.total_s / all_s);
    }
  }
  if (kernel.registers) {
    text += ", " + std::to_string(*kernel.registers) + " registers";
  }
  if (kernel.shared_bytes.value_or(0) > 0) {
    text += ", " + std::to_string(*kernel.shared_bytes) + " B shared";
  }
  if (kernel.local_bytes.value_or(0) > 0) {
    text += ", " + std::to_string(*kernel.local_bytes) +
            " B spilled or in arrays per thread";
  }
  if (kernel.occupancy) {
    text += ", occupancy " + Percent(*kernel.occupancy);
    const auto limit = static_cast<std::size_t>(
        kernel.limit.value_or(ResidencyLimit::kThreads));
    if (*kernel.occupancy < 1.0 && kernel.limit &&
        limit < kResidencyLimitNames.size()) {
      text += " by " + std::string(kResidencyLimitNames[limit]);
    }
  }
  if (kernel.achieved_occupancy) {
    text += ", achieved " + Percent(*kernel.achieved_occupancy);
  }
  if (kernel.busy) text += ", units " + Percent(*kernel.busy) + " busy";
  if (kernel.dram_bytes) {
    text += ", " + Amount(*kernel.dram_bytes, "B") + " of device memory moved";
  }
  if (kernel.l2_hits) text += ", L2 hits " + Percent(*kernel.l2_hits);
  return text + ")";
}

std::string KernelsSentence(std::vector<KernelProfile> kernels) {
  if (kernels.empty()) return "";
  double all_s = 0.0;
  for (const KernelProfile& kernel : kernels) {
    all_s += kernel.total_s.value_or(0.0);
  }
  std::ranges::stable_sort(
      kernels, std::greater<>(),
      [](const KernelProfile& kernel) { return kernel.total_s.value_or(0.0); });
  std::string text = kernels.size() == 1 ? " Kernel: " : " Kernels: ";
  for (std::size_t i = 0; i < std::min(kernels.size(), kMostKernels); ++i) {
    text += (i == 0 ? "" : "; ") + KernelText(kernels[i], all_s);
  }
  if (kernels.size() > kMostKernels) {
    text += "; " + std::to_string(kernels.size() - kMostKernels) + " more";
  }
  return text + ".";
}

bool HasRoofline(const Profile& profile) {
  return profile.runtime_s > 0.0 && FloorSeconds(profile) > 0.0;
}

std::string Capital(std::string text) {
  if (text.empty()) return text;
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

// Begins with a small letter.
std::string SmallDigest(const Profile& profile) {
  if (!HasRoofline(profile)) {
    if (profile.kernels.empty() && profile.note.empty()) return "";
    return "no roof is known." + KernelsSentence(profile.kernels) +
           (profile.note.empty() ? "" : " " + profile.note);
  }
  return BoundSentence(profile) + WorkSentence(profile) +
         SlackSentence(profile) + CountersSentence(profile.counters) +
         KernelsSentence(profile.kernels) +
         (profile.note.empty() ? "" : " " + profile.note);
}

}  // namespace

double FloorSeconds(const Profile& profile) {
  return std::max(MemorySeconds(profile), ArithmeticSeconds(profile));
}

DigestParts PartsOf(std::string_view digest) {
  constexpr std::string_view kBlank = "\n\n";
  const std::size_t end = std::min(digest.find(kBlank), digest.size());
  return {digest.substr(0, end),
          digest.substr(std::min(end + kBlank.size(), digest.size()))};
}

bool IsFarBelowRooflines(const Profile& profile) {
  return ShareOf(profile) < kFarShare;
}

Bottleneck BottleneckOf(const Profile& profile) {
  return MemorySeconds(profile) >= ArithmeticSeconds(profile)
             ? Bottleneck::kMemory
             : Bottleneck::kArithmetic;
}

std::string Digest(const Profile& profile) {
  return Capital(SmallDigest(profile));
}

std::string Digest(const std::vector<Profile>& profiles) {
  const auto longest =
      std::ranges::max_element(profiles, {}, &Profile::runtime_s);
  if (longest == profiles.end()) return "";
  if (profiles.size() == 1) return Digest(*longest);
  std::string text = SmallDigest(*longest);
  if (!text.empty()) text = "With " + longest->shape + ": " + text;
  std::string others;
  for (const Profile& profile : profiles) {
    if (&profile == &*longest || !HasRoofline(profile)) continue;
    others += (others.empty() ? "With " : "; with ") + profile.shape + ": " +
              BoundText(profile);
  }
  if (others.empty()) return text;
  return text + (text.empty() ? "" : " ") + others + ".";
}

}  // namespace coppice
