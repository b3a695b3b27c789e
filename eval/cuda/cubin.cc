#include "eval/cuda/cubin.h"

#include <elf.h>

#include <algorithm>

#include "eval/cuda/elf.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::uint16_t kMachineCuda = 190;
constexpr unsigned char kIsKernel = 0x10;  // In a symbol's st_other.
// A block's first bytes of shared memory, from compute capability 9.0 on.
constexpr std::uint64_t kReservedShared = 1024;
constexpr char kReservedSection[] = ".nv.shared.reserved.0";

// An entry of .nv.info: a byte of format, a byte of attribute, then two bytes
// that are the value or, of this format, the size of what follows.
constexpr std::uint8_t kSized = 4;
enum Attribute : std::uint8_t {
  kMaxThreads = 0x05,     // Three sizes.
  kStackBytes = 0x12,     // Symbol; bytes with all that it calls.
  kParameter = 0x17,      // One in 12 bytes, the last four with its size.
  kRegisterCount = 0x2f,  // Symbol; registers.
};
constexpr std::uint32_t kMostParameters = 4096;  // As many bytes are allowed.

template <class Use>
void ForEachSizedAttribute(std::string_view info, const Use& use) {
  std::size_t at = 0;
  while (const auto format = ReadAt<std::uint8_t>(info, at)) {
    const auto attribute = ReadAt<std::uint8_t>(info, at + 1);
    const auto size = ReadAt<std::uint16_t>(info, at + 2);
    if (!attribute || !size) return;
    at += 4;
    if (*format != kSized) continue;
    if (at + *size > info.size()) return;
    use(*attribute, info.substr(at, *size));
    at += *size;
  }
}

class Cubin {
 public:
  explicit Cubin(std::vector<Section> sections)
      : sections_(std::move(sections)) {}

  bool FindKernels() {
    const Section* table = Find(".symtab");
    if (table == nullptr || table->link >= sections_.size()) return false;
    const std::string_view names = sections_[table->link].bytes;
    std::size_t at = 0;
    while (const auto symbol = ReadAt<Elf64_Sym>(table->bytes, at)) {
      const bool kernel = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                          (symbol->st_other & kIsKernel) != 0;
      if (kernel) {
        KernelFacts facts;
        facts.name = std::string(StringAt(names, symbol->st_name));
        kernels_.push_back(std::move(facts));
        symbols_.push_back(at / sizeof(Elf64_Sym));
      }
      at += sizeof(Elf64_Sym);
    }
    return true;
  }

  std::vector<KernelFacts> Describe() {
    if (const Section* info = Find(".nv.info")) ReadCommon(info->bytes);
    for (KernelFacts& kernel : kernels_) {
      if (const Section* info = Find(".nv.info." + kernel.name)) {
        ReadOwn(info->bytes, kernel);
      }
      if (const Section* shared = Find(".nv.shared." + kernel.name)) {
        kernel.shared_bytes = shared->size;
        if (Find(kReservedSection) != nullptr) {
          kernel.shared_bytes -= std::min(kReservedShared, shared->size);
        }
      }
    }
    std::ranges::sort(kernels_, {}, &KernelFacts::name);
    return std::move(kernels_);
  }

 private:
  const Section* Find(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &Section::name);
    return found == sections_.end() ? nullptr : &*found;
  }

  void ReadCommon(std::string_view info) {
    ForEachSizedAttribute(info, [&](std::uint8_t what, std::string_view value) {
      const auto symbol = ReadAt<std::uint32_t>(value, 0);
      const auto number = ReadAt<std::uint32_t>(value, 4);
      if (!symbol || !number) return;
      const auto found = std::ranges::find(symbols_, *symbol);
      if (found == symbols_.end()) return;
      KernelFacts& kernel =
          kernels_[static_cast<std::size_t>(found - symbols_.begin())];
      if (what == kRegisterCount) kernel.registers = *number;
      if (what == kStackBytes) kernel.local_bytes = *number;
    });
  }

  static void ReadOwn(std::string_view info, KernelFacts& kernel) {
    ForEachSizedAttribute(info, [&](std::uint8_t what, std::string_view value) {
      if (what == kParameter) {
        const auto ordinal = ReadAt<std::uint16_t>(value, 4);
        const auto packed = ReadAt<std::uint32_t>(value, 8);
        if (!ordinal || !packed || *ordinal >= kMostParameters) return;
        if (kernel.parameters.size() <= *ordinal) {
          kernel.parameters.resize(*ordinal + std::size_t{1});
        }
        kernel.parameters[*ordinal] = *packed >> 18;
      }
      if (what == kMaxThreads) {
        const auto x = ReadAt<std::uint32_t>(value, 0);
        const auto y = ReadAt<std::uint32_t>(value, 4);
        const auto z = ReadAt<std::uint32_t>(value, 8);
        if (x && y && z && *x <= 1024 && *y <= 1024 && *z <= 1024) {
          kernel.max_threads = std::uint64_t{*x} * *y * *z;
        }
      }
    });
  }

  std::vector<Section> sections_;
  std::vector<KernelFacts> kernels_;
  std::vector<std::size_t> symbols_;  // [kernels_]: number of its symbol.
};

}  // namespace

std::optional<std::vector<KernelFacts>> ReadCubin(std::string_view cubin) {
  const auto header = ReadAt<Elf64_Ehdr>(cubin, 0);
  auto sections = ReadSections(cubin);
  if (!sections || header->e_machine != kMachineCuda) return {};
  Cubin read(std::move(*sections));
  if (!read.FindKernels()) return {};
  return read.Describe();
}

}  // namespace coppice::eval::cuda
