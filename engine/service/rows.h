// The rows of the table of operations (operations.cc).
#pragma once

#include "engine/service/operation.h"

namespace coppice::service {

Operation ListTasksOperation();
Operation DescribeTaskOperation();
Operation EvaluateKernelOperation();
Operation ProfileKernelOperation();
Operation SanitizeKernelOperation();
Operation CompareKernelsOperation();
Operation GetJobOperation();
Operation CancelJobOperation();
Operation StatusOperation();
Operation QueryOperation();
Operation GetNodeOperation();
Operation StartCampaignOperation();

}  // namespace coppice::service
