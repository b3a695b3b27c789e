// What who asks over a network may name.  No file of this machine is opened for
// them by a name of theirs: what is in one, or that it is there, is not theirs
// to know.
#pragma once

#include <string>

#include "store/records/result.h"

namespace coppice::service {

struct Call;
class Service;

// kUsage for a remote caller's task of files, unless the service's own history
// has campaigns on it: whoever began these is trusted with the name.
Result<void> CheckMayNameTask(Service& service, const std::string& task,
                              const Call& call);

// kUsage for a remote caller's history but the service's own.
Result<void> CheckMayNameHistory(const Service& service,
                                 const std::string& file, const Call& call);

// kUsage for a remote caller's models where one answers from a file.
Result<void> CheckMayNameModels(const std::string& models, const Call& call);

}  // namespace coppice::service
