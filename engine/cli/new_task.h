// What kinds of `coppice new` share: the name of what is made, and files that
// are no C or C++.
#pragma once

#include <string>
#include <vector>

#include "engine/documents/verb.h"
#include "engine/factory/campaign_factory.h"
#include "engine/own/source_reader.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::cli {

// By the word that names it, or else by the function.  kUsage if it is no plain
// word, or there already.
Result<std::string> NewTaskName(const Invocation& invocation,
                                const std::string& function);

// Says so where a task of that name comes with the program: its bare name
// means that one.
Result<void> TellOfName(const engine::CampaignFactory& factory,
                        const std::string& name, Streams& streams);

Result<engine::own::Wishes> WishesOf(const Invocation& invocation);

// What was taken to be so, and why.
void PrintAssumptions(const engine::own::Reading& reading,
                      const std::vector<std::string>& notes, Streams& streams);
std::string ShapesText(const std::vector<Workload>& workloads);

bool NamesCuda(const std::string& file);
Result<Exit> NewFromCuda(const Invocation& invocation, Streams& streams);

// "mine.py" or "mine.py:function".
bool NamesPython(const std::string& file);
Result<Exit> NewFromPython(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
