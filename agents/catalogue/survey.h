// What the plan agent sees of a kernel: its loops, where its time should go,
// and how each loop walks through memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/dependence.h"
#include "agents/catalogue/kernel.h"
#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

struct LoopView {
  const Stmt* loop = nullptr;
  std::vector<const Stmt*> outer;  // Outermost first.
  const StmtList* siblings = nullptr;
  std::size_t position = 0;  // Within the siblings.
  Lines lines;
  double trips = 0.0;        // Mean over the workloads.
  double least_trips = 0.0;  // Of all workloads.
  double share = 0.0;        // Of the kernel's estimated time, 0 to 1.
  bool innermost = false;
  bool lanes = false;     // A strip, or within one.
  bool threaded = false;  // On threads, or within or around what is.
  Independence test;
};

class Survey {
 public:
  // Both must outlive the survey.  An unknown size counts 64.
  Survey(const Kernel& kernel, const Setting& setting);

  const Kernel& Source() const { return kernel_; }
  int Threads() const { return site_.setting.threads; }
  const std::vector<LoopView>& Loops() const { return loops_; }
  const Site& WholeSite() const { return site_; }

 private:
  double Cost(const StmtList& list, const Constants& sizes, double speed);
  void Walk(const StmtList& list, std::vector<const Stmt*>& outer, bool lanes,
            bool threaded);

  const Kernel& kernel_;
  Site site_;
  std::vector<LoopView> loops_;
  std::map<const Stmt*, double> costs_;  // Summed over workloads.
  std::map<const Stmt*, double> trips_;
  std::map<const Stmt*, double> least_trips_;
};

// Calls in the list that are expensive in the C library, by function.
std::map<std::string, int> LibraryCalls(const StmtList& list);

}  // namespace coppice::agents::catalogue
