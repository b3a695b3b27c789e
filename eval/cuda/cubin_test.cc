#include "eval/cuda/cubin.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>

#include "eval/cuda/elf.h"
#include "store/records/random.h"

namespace coppice::eval::cuda {
namespace {

template <class T>
std::string Bytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct Piece {
  std::string name;
  std::uint32_t type;
  std::string bytes;
  std::uint64_t size_in_memory = 0;  // Of SHT_NOBITS.
  std::uint32_t link = 0;
};

// An ELF file with these sections from 1 on, and their names after them.
std::string MakeElf(std::vector<Piece> parts) {
  std::string names(1, '\0');
  parts.insert(parts.begin(), Piece{"", SHT_NULL, ""});
  parts.push_back({".shstrtab", SHT_STRTAB, ""});
  std::vector<Elf64_Shdr> headers;
  for (const Piece& part : parts) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<std::uint32_t>(names.size());
    header.sh_type = part.type;
    header.sh_link = part.link;
    names += part.name + '\0';
    headers.push_back(header);
  }
  parts.back().bytes = names;
  std::string body;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    headers[i].sh_offset = sizeof(Elf64_Ehdr) + body.size();
    headers[i].sh_size = parts[i].type == SHT_NOBITS ? parts[i].size_in_memory
                                                     : parts[i].bytes.size();
    body += parts[i].bytes;
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = 190;
  header.e_shoff = sizeof header + body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(headers.size());
  header.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
  std::string file = Bytes(header) + body;
  for (const Elf64_Shdr& each : headers) file += Bytes(each);
  return file;
}

std::string InfoEntry(std::uint8_t what,
                      const std::vector<std::uint32_t>& words) {
  std::string text = {'\4', static_cast<char>(what)};
  text += Bytes(static_cast<std::uint16_t>(4 * words.size()));
  for (const std::uint32_t word : words) text += Bytes(word);
  return text;
}

// Kernel k, symbol 1, with 40 registers, 100 bytes of stack, 2048 bytes of
// shared memory beside the reserved ones, at most 16 x 8 threads, and
// parameters of 8 and 4 bytes; function f, symbol 2, is no kernel.
std::string ExampleCubin() {
  const auto symbol = [](std::uint32_t name, unsigned char other) {
    Elf64_Sym made{};
    made.st_name = name;
    made.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    made.st_other = other;
    return Bytes(made);
  };
  const std::string own = InfoEntry(0x17, {0, 1 | 8 << 16, 4 << 18}) +
                          InfoEntry(0x17, {0, 0, 8 << 18}) +
                          InfoEntry(0x05, {16, 8, 1});
  return MakeElf(
      {{".strtab", SHT_STRTAB, std::string("\0k\0f\0", 5)},
       {".symtab", SHT_SYMTAB,
        Bytes(Elf64_Sym{}) + symbol(1, 0x10) + symbol(3, 0), 0, 1},
       {".nv.info", 0x70000000,
        InfoEntry(0x2f, {1, 40}) + InfoEntry(0x12, {1, 100}) +
            InfoEntry(0x2f, {2, 99})},
       // Attributes of two bytes come between.
       {".nv.info.k", 0x70000000, "\3\x19\x0c" + std::string(1, '\0') + own},
       {".nv.shared.reserved.0", SHT_NOBITS, ""},
       {".nv.shared.k", SHT_NOBITS, "", 3072}});
}

TEST(CubinTest, DescribesEveryKernel) {
  const auto kernels = ReadCubin(ExampleCubin());
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  const KernelFacts& kernel = kernels->front();
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.registers, 40u);
  EXPECT_EQ(kernel.local_bytes, 100u);
  EXPECT_EQ(kernel.shared_bytes, 2048u);
  EXPECT_EQ(kernel.max_threads, 128u);
  EXPECT_EQ(kernel.parameters, (std::vector<std::uint32_t>{8, 4}));
}

TEST(CubinTest, RefusesWhatIsNone) {
  EXPECT_FALSE(ReadCubin(""));
  EXPECT_FALSE(ReadCubin("//@ launch k<<<1, 1>>>()"));
  EXPECT_FALSE(ReadCubin(MakeElf({})));  // No symbols.
  std::string other = ExampleCubin();
  other[18] = 62;  // The machine: x86-64.
  EXPECT_FALSE(ReadCubin(other));
  const std::string whole = ExampleCubin();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadCubin(whole.substr(0, size))) << size;
  }
}

// The reader ends, and never finds more kernels than there are symbols.  That
// it reads within its bounds is for the sanitizer to see.
TEST(CubinTest, SurvivesAnyDamage) {
  const std::string whole = ExampleCubin();
  RandomStream random(7, Purpose::kInputs, 0);
  for (int round = 0; round < 10'000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 4; ++i) {
      damaged[random.NextU64() % damaged.size()] =
          static_cast<char>(random.NextU64());
    }
    const auto kernels = ReadCubin(damaged);
    if (!kernels) continue;
    EXPECT_LE(kernels->size(), damaged.size() / sizeof(Elf64_Sym));
  }
}

class WithToolkit : public testing::TestWithParam<const char*> {};

TEST_P(WithToolkit, AgreesWithTheAssembler) {
  namespace fs = std::filesystem;
  const fs::path nvcc = "/usr/local/cuda/bin/nvcc";
  if (!fs::exists(nvcc)) GTEST_SKIP() << nvcc << ": not found";
  const fs::path folder =
      fs::path(testing::TempDir()) / ("cubin_test_" + std::string(GetParam()));
  fs::create_directories(folder);
  std::ofstream(folder / "k.cu") << R"(
extern "C" __global__ void __launch_bounds__(256)
rows(const float* x, float* y, long long n, int k, char c) {
  __shared__ float tile[512];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float local[64];
  for (int i = 0; i < 64; ++i) local[i] = x[i * k];
  float sum = c;
  for (int i = 0; i < k; ++i) sum += local[(i * i) % 64];
  y[threadIdx.x] = sum + tile[(threadIdx.x * 7) % 512];
}
)";
  const std::string command = "cd '" + folder.string() + "' && " +
                              nvcc.string() + " -cubin -arch=" + GetParam() +
                              " -Xptxas -v k.cu -o k.cubin > said 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto contents = [&](const char* name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string said = contents("said");
  const std::string cubin = contents("k.cubin");
  fs::remove_all(folder);
  std::smatch used;
  ASSERT_TRUE(
      std::regex_search(said, used, std::regex("Used ([0-9]+) registers")))
      << said;
  const auto kernels = ReadCubin(cubin);
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  const KernelFacts& kernel = kernels->front();
  EXPECT_EQ(kernel.name, "rows");
  EXPECT_EQ(std::to_string(kernel.registers), used[1]);
  EXPECT_EQ(kernel.local_bytes, 256u);    // 64 floats
  EXPECT_EQ(kernel.shared_bytes, 2048u);  // 512 floats
  EXPECT_EQ(kernel.max_threads, 256u);
  EXPECT_EQ(kernel.parameters, (std::vector<std::uint32_t>{8, 8, 8, 4, 1}));
}

INSTANTIATE_TEST_SUITE_P(CubinTest, WithToolkit,
                         testing::Values("sm_75", "sm_80", "sm_90a",
                                         "sm_100a"));

}  // namespace
}  // namespace coppice::eval::cuda
