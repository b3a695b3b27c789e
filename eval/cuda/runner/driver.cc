#include "eval/cuda/runner/driver.h"

#include <dlfcn.h>

#include <type_traits>

namespace coppice::eval::cuda {

const Driver* LoadDriver(const char** why) {
  static Driver driver;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    *why = dlerror();
    return nullptr;
  }
  const auto find = [&](auto& function, const char* symbol) {
    void* address = dlsym(library, symbol);
    if (address == nullptr) *why = symbol;
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    return address != nullptr;
  };
  // The _v2 names are what cuda.h makes of the plain ones.
  const bool complete =
      find(driver.Init, "cuInit") &&
      find(driver.DriverGetVersion, "cuDriverGetVersion") &&
      find(driver.DeviceGet, "cuDeviceGet") &&
      find(driver.DeviceGetAttribute, "cuDeviceGetAttribute") &&
      find(driver.DeviceTotalMem, "cuDeviceTotalMem_v2") &&
      find(driver.DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") &&
      find(driver.DevicePrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags_v2") &&
      find(driver.CtxSetCurrent, "cuCtxSetCurrent") &&
      find(driver.CtxSynchronize, "cuCtxSynchronize") &&
      find(driver.CtxSetLimit, "cuCtxSetLimit") &&
      find(driver.CtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache") &&
      find(driver.ModuleLoadData, "cuModuleLoadData") &&
      find(driver.ModuleGetFunction, "cuModuleGetFunction") &&
      find(driver.FuncSetAttribute, "cuFuncSetAttribute") &&
      find(driver.FuncGetParamInfo, "cuFuncGetParamInfo") &&
      find(driver.LaunchKernelEx, "cuLaunchKernelEx") &&
      find(driver.StreamCreate, "cuStreamCreate") &&
      find(driver.StreamSynchronize, "cuStreamSynchronize") &&
      find(driver.StreamQuery, "cuStreamQuery") &&
      find(driver.EventCreate, "cuEventCreate") &&
      find(driver.EventRecord, "cuEventRecord") &&
      find(driver.EventElapsedTime, "cuEventElapsedTime") &&
      find(driver.MemAlloc, "cuMemAlloc_v2") &&
      find(driver.MemFree, "cuMemFree_v2") &&
      find(driver.MemHostAlloc, "cuMemHostAlloc") &&
      find(driver.MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2") &&
      find(driver.MemcpyHtoD, "cuMemcpyHtoD_v2") &&
      find(driver.MemcpyDtoH, "cuMemcpyDtoH_v2") &&
      find(driver.MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2") &&
      find(driver.MemsetD32Async, "cuMemsetD32Async") &&
      find(driver.MemAddressReserve, "cuMemAddressReserve") &&
      find(driver.MemCreate, "cuMemCreate") &&
      find(driver.MemMap, "cuMemMap") &&
      find(driver.MemSetAccess, "cuMemSetAccess") &&
      find(driver.MemRelease, "cuMemRelease") &&
      find(driver.MemExportToShareableHandle, "cuMemExportToShareableHandle") &&
      find(driver.MemImportFromShareableHandle,
           "cuMemImportFromShareableHandle");
  return complete ? &driver : nullptr;
}

}  // namespace coppice::eval::cuda
