#include <algorithm>
#include <array>

#include "engine/service/caught.h"
#include "engine/service/operation.h"
#include "engine/service/rows.h"

namespace coppice::service {

std::span<const Operation> Operations() {
  static const std::array kTable = {
      ListTasksOperation(),
      DescribeTaskOperation(),
      EvaluateKernelOperation(),
      ProfileKernelOperation(),
      SanitizeKernelOperation(),
      CompareKernelsOperation(),
      GetJobOperation(),
      CancelJobOperation(),
      StatusOperation(),
      QueryOperation(),
      GetNodeOperation(),
      StartCampaignOperation(),
      AskOperation(),
      TellOperation(),
      RenewOperation(),
  };
  return kTable;
}

Result<std::string> Answer(const Operation& operation, Service& service,
                           const Call& call, std::string_view request) {
  return Caught([&] { return operation.answer(service, call, request); });
}

const Operation* FindOperation(std::string_view name) {
  const auto table = Operations();
  const auto found = std::ranges::find(table, name, &Operation::name);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace coppice::service
