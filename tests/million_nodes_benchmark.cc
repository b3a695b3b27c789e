#include "tests/large_history.h"
#include "eval/trace_set.h"
#include "store/scratch.h"
#include <cstdio>
#include <cstdlib>
int main(int, char** argv) {
  const auto task = coppice::store::Must(coppice::eval::LoadTask(COPPICE_TASKS_DIR, "gemm_square"));
  coppice::BuildLargeHistory(argv[2], task, std::atoll(argv[1]));
}
