#include "eval/cuda/elf.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace coppice::eval::cuda {
namespace {

// A file of three sections, the headers behind the bytes: nothing, names, and
// four bytes called "code".
class ElfTest : public testing::Test {
 protected:
  static constexpr char kNames[] = "\0.names\0code";

  ElfTest() {
    std::memcpy(header_.e_ident, ELFMAG, SELFMAG);
    header_.e_ident[EI_CLASS] = ELFCLASS64;
    header_.e_ident[EI_DATA] = ELFDATA2LSB;
    header_.e_shentsize = sizeof(Elf64_Shdr);
    header_.e_shnum = 3;
    header_.e_shstrndx = 1;
    header_.e_shoff = sizeof header_ + sizeof kNames + 4;
    sections_[1].sh_type = SHT_STRTAB;
    sections_[1].sh_name = 1;
    sections_[1].sh_offset = sizeof header_;
    sections_[1].sh_size = sizeof kNames;
    sections_[2].sh_type = SHT_PROGBITS;
    sections_[2].sh_name = 8;
    sections_[2].sh_offset = sizeof header_ + sizeof kNames;
    sections_[2].sh_size = 4;
    sections_[2].sh_link = 1;
  }

  std::string File() const {
    std::string file(reinterpret_cast<const char*>(&header_), sizeof header_);
    file.append(kNames, sizeof kNames);
    file += "abcd";
    file.append(reinterpret_cast<const char*>(sections_), sizeof sections_);
    return file;
  }
  bool IsRead() const { return ReadSections(File()).has_value(); }

  Elf64_Ehdr header_{};
  Elf64_Shdr sections_[3]{};
};

TEST_F(ElfTest, SectionsHaveNamesAndBytes) {
  const std::string file = File();
  const auto sections = ReadSections(file);
  ASSERT_TRUE(sections);
  ASSERT_EQ(sections->size(), 3u);
  EXPECT_EQ((*sections)[0].name, "");
  EXPECT_EQ((*sections)[1].name, ".names");
  EXPECT_EQ((*sections)[2].name, "code");
  EXPECT_EQ((*sections)[2].bytes, "abcd");
  EXPECT_EQ((*sections)[2].size, 4u);
  EXPECT_EQ((*sections)[2].type, std::uint32_t{SHT_PROGBITS});
  EXPECT_EQ((*sections)[2].link, 1u);
}

// What a program finds filled with zeros is in no file.
TEST_F(ElfTest, WhatIsOnlyInMemoryHasASizeAlone) {
  sections_[2].sh_type = SHT_NOBITS;
  sections_[2].sh_size = 1 << 30;
  const std::string file = File();
  const auto sections = ReadSections(file);
  ASSERT_TRUE(sections);
  EXPECT_EQ((*sections)[2].bytes, "");
  EXPECT_EQ((*sections)[2].size, 1u << 30);
}

TEST_F(ElfTest, ASectionMayEndWithTheFileAndNoLater) {
  sections_[2].sh_size = File().size() - sections_[2].sh_offset;
  EXPECT_TRUE(IsRead());
  ++sections_[2].sh_size;
  EXPECT_FALSE(IsRead());
  sections_[2].sh_size = ~std::uint64_t{0};  // With its offset, beyond all.
  EXPECT_FALSE(IsRead());
  sections_[2].sh_size = 0;
  sections_[2].sh_offset = File().size();
  EXPECT_TRUE(IsRead());
  ++sections_[2].sh_offset;
  EXPECT_FALSE(IsRead());
}

TEST_F(ElfTest, HeadersAreWithinTheFile) {
  header_.e_shnum = 4;
  EXPECT_FALSE(IsRead());
  header_.e_shnum = 3;
  header_.e_shoff += 1;
  EXPECT_FALSE(IsRead());
  header_.e_shoff = ~std::uint64_t{0} - 10;
  EXPECT_FALSE(IsRead());
}

TEST_F(ElfTest, NamesComeFromASectionThatThereIs) {
  header_.e_shstrndx = 3;
  EXPECT_FALSE(IsRead());
  header_.e_shstrndx = 1;
  sections_[2].sh_name = 10'000;  // Beyond all names.
  const std::string file = File();
  EXPECT_EQ((*ReadSections(file))[2].name, "");
}

TEST_F(ElfTest, WhatIsNoFileOf64BitsIsNotRead) {
  EXPECT_TRUE(IsRead());
  header_.e_ident[EI_MAG3] = 'G';
  EXPECT_FALSE(IsRead());
  header_.e_ident[EI_MAG3] = 'F';
  header_.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_FALSE(IsRead());
  header_.e_ident[EI_CLASS] = ELFCLASS64;
  header_.e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_FALSE(IsRead());
  header_.e_ident[EI_DATA] = ELFDATA2LSB;
  header_.e_shentsize = 63;
  EXPECT_FALSE(IsRead());
  EXPECT_FALSE(ReadSections(File().substr(0, sizeof header_ - 1)));
}

TEST(StringAtTest, EndsWithItsZeroOrTheTable) {
  const std::string_view table("ab\0cd", 5);
  EXPECT_EQ(StringAt(table, 0), "ab");
  EXPECT_EQ(StringAt(table, 1), "b");
  EXPECT_EQ(StringAt(table, 2), "");
  EXPECT_EQ(StringAt(table, 3), "cd");
  EXPECT_EQ(StringAt(table, 5), "");
  EXPECT_EQ(StringAt(table, 6), "");
}

TEST(ReadAtTest, ReadsWhatIsThereAsAWhole) {
  const std::string_view bytes("\1\0\2\0", 4);
  EXPECT_EQ(ReadAt<std::uint16_t>(bytes, 0), 1);
  EXPECT_EQ(ReadAt<std::uint16_t>(bytes, 2), 2);
  EXPECT_EQ(ReadAt<std::uint16_t>(bytes, 3), std::nullopt);
  EXPECT_EQ(ReadAt<std::uint16_t>(bytes, 5), std::nullopt);
  EXPECT_EQ(ReadAt<std::uint16_t>(bytes, ~std::size_t{0}), std::nullopt);
}

}  // namespace
}  // namespace coppice::eval::cuda
