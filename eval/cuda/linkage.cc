#include "eval/cuda/linkage.h"

#include <elf.h>

#include <algorithm>

#include "eval/cuda/elf.h"

namespace coppice::eval::cuda {
namespace {

// "libm.so.6" is m.
bool IsVersionOf(std::string_view file, std::string_view library) {
  const std::string prefix = "lib" + std::string(library) + ".so";
  if (!file.starts_with(prefix)) return false;
  file.remove_prefix(prefix.size());
  return file.empty() || file.front() == '.';
}

bool IsRunTime(std::string_view file) {
  for (const char* library :
       {"c", "m", "stdc++", "gcc_s", "pthread", "dl", "rt", "cuda", "cudart"}) {
    if (IsVersionOf(file, library)) return true;
  }
  return file.starts_with("ld-linux");
}

bool SaysWhereToLook(Elf64_Sxword tag) {
  return tag == DT_RPATH || tag == DT_RUNPATH || tag == DT_AUDIT ||
         tag == DT_DEPAUDIT || tag == DT_FILTER || tag == DT_AUXILIARY;
}

}  // namespace

std::string CheckLinkage(std::string_view object,
                         const std::vector<std::string>& libraries) {
  const std::string start = "kernel.so: ";
  const auto sections = ReadSections(object);
  if (!sections) return start + "not a shared object of 64 bits\n";
  const auto dynamic =
      std::ranges::find(*sections, std::uint32_t{SHT_DYNAMIC}, &Section::type);
  if (dynamic == sections->end() || dynamic->link >= sections->size()) {
    return start + "not a shared object\n";
  }
  const std::string_view strings = (*sections)[dynamic->link].bytes;
  std::size_t at = 0;
  while (const auto entry = ReadAt<Elf64_Dyn>(dynamic->bytes, at)) {
    at += sizeof(Elf64_Dyn);
    if (entry->d_tag == DT_NULL) break;
    const std::string name(StringAt(strings, entry->d_un.d_val));
    if (SaysWhereToLook(entry->d_tag)) {
      return start + "names a place or filter of libraries: " + name + "\n";
    }
    if (entry->d_tag != DT_NEEDED || IsRunTime(name)) continue;
    const bool asked = std::ranges::any_of(
        libraries, [&](const auto& each) { return IsVersionOf(name, each); });
    if (!asked) return start + "needs " + name + ", which is not for kernels\n";
  }
  return "";
}

}  // namespace coppice::eval::cuda
