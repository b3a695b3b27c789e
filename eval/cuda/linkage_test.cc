#include "eval/cuda/linkage.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

// A shared object that g++ links with these flags.
std::string Link(const std::string& flags) {
  const fs::path folder = fs::path(testing::TempDir()) / "linkage_test";
  fs::create_directories(folder);
  std::ofstream(folder / "k.cc") << "extern \"C\" void k() {}\n";
  const std::string command = "cd '" + folder.string() +
                              "' && g++ -shared -fPIC -Wl,--no-as-needed " +
                              flags + " k.cc -o k.so";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream file(folder / "k.so", std::ios::binary);
  std::string object{std::istreambuf_iterator<char>(file), {}};
  fs::remove_all(folder);
  return object;
}

TEST(LinkageTest, RunTimesAreEverybodys) {
  EXPECT_EQ(CheckLinkage(Link("-lm -lpthread -ldl -lrt"), {}), "");
}

TEST(LinkageTest, OtherLibrariesMustHaveBeenAskedFor) {
  const std::string object = Link("-l:libgomp.so.1");
  EXPECT_EQ(CheckLinkage(object, {}),
            "kernel.so: needs libgomp.so.1, which is not for kernels\n");
  EXPECT_EQ(CheckLinkage(object, {"gomp"}), "");
  EXPECT_NE(CheckLinkage(object, {"gom"}), "");
  EXPECT_NE(CheckLinkage(object, {"gompx"}), "");
}

TEST(LinkageTest, NoPlacesOfItsOwn) {
  for (const char* flag :
       {"-Wl,-rpath,/tmp", "-Wl,-rpath,/tmp,--disable-new-dtags",
        "-Wl,--audit=/tmp/a.so", "-Wl,--depaudit=/tmp/a.so", "-Wl,-f,/tmp/f.so",
        "-Wl,-F,/tmp/f.so"}) {
    EXPECT_NE(CheckLinkage(Link(flag), {}).find("/tmp"), std::string::npos)
        << flag;
  }
}

TEST(LinkageTest, RefusesWhatIsNoSharedObject) {
  EXPECT_NE(CheckLinkage("", {}), "");
  EXPECT_NE(CheckLinkage("\177ELF", {}), "");
  EXPECT_NE(CheckLinkage(Link("").substr(0, 5000), {}), "");
}

}  // namespace
}  // namespace coppice::eval::cuda
