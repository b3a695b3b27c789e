// main() of every test program: gives each process a temporary directory of
// its own, which testing::TempDir() returns, so that tests may run at the
// same time as others and use plain file names.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  std::string directory = testing::TempDir() + "coppice-test-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) {
    std::perror(directory.c_str());
    return 1;
  }
  setenv("TEST_TMPDIR", directory.c_str(), 1);
  const int status = RUN_ALL_TESTS();
  std::error_code failed;
  std::filesystem::remove_all(directory, failed);
  if (failed) {
    std::fprintf(stderr, "%s: %s\n", directory.c_str(),
                 failed.message().c_str());
  }
  return failed ? 1 : status;
}
