#include "eval/cuda/elf.h"

#include <elf.h>

namespace coppice::eval::cuda {

std::string_view StringAt(std::string_view table, std::size_t offset) {
  if (offset >= table.size()) return {};
  table.remove_prefix(offset);
  return table.substr(0, table.find('\0'));
}

std::optional<std::vector<Section>> ReadSections(std::string_view file) {
  const auto header = ReadAt<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr) ||
      header->e_shoff > file.size()) {
    return {};
  }
  std::vector<Elf64_Shdr> headers;
  std::vector<Section> sections;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto each = ReadAt<Elf64_Shdr>(
        file, header->e_shoff + i * std::size_t{sizeof(Elf64_Shdr)});
    if (!each) return {};
    Section section{.name = {},
                    .bytes = {},
                    .size = each->sh_size,
                    .type = each->sh_type,
                    .link = each->sh_link};
    if (each->sh_type != SHT_NOBITS && each->sh_type != SHT_NULL) {
      if (each->sh_offset > file.size() ||
          each->sh_size > file.size() - each->sh_offset) {
        return {};
      }
      section.bytes = file.substr(each->sh_offset, each->sh_size);
    }
    headers.push_back(*each);
    sections.push_back(section);
  }
  if (header->e_shstrndx >= sections.size()) return {};
  const std::string_view names = sections[header->e_shstrndx].bytes;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].name = StringAt(names, headers[i].sh_name);
  }
  return sections;
}

}  // namespace coppice::eval::cuda
