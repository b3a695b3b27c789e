"""Memory on a device that processes share by a descriptor.

CUDA's calls for it are cuda.h's, by their own names; for the CPU a memory file
stands in, so that everything but these calls can be tried without a GPU.
"""

import ctypes
import functools
import mmap
import os
from typing import Any

import torch

GRANULARITY = 2 << 20  # Bytes; a multiple of what any driver asks for.


class Location(ctypes.Structure):  # CUmemLocation
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Properties(ctypes.Structure):  # CUmemAllocationProp
    _fields_ = [
        ("type", ctypes.c_int),
        ("handle_types", ctypes.c_int),
        ("location", Location),
        ("win32", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    ]


class Access(ctypes.Structure):  # CUmemAccessDesc
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


PINNED, ON_DEVICE, BY_DESCRIPTOR = 1, 1, 1
READ, READ_AND_WRITE = 1, 3


class Driver:
    """The calls that torch has no words for.  Its context must be current."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")

    def must(self, name: str, *arguments: Any) -> None:
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: CUDA error {status}")

    def create(self, size: int, device: int) -> tuple[int, int]:
        """The address of new pages, and their descriptor."""
        properties = Properties(
            PINNED, BY_DESCRIPTOR, Location(ON_DEVICE, device)
        )
        handle, descriptor = ctypes.c_uint64(), ctypes.c_int()
        self.must(
            "cuMemCreate",
            ctypes.byref(handle),
            ctypes.c_size_t(size),
            ctypes.byref(properties),
            ctypes.c_uint64(0),
        )
        self.must(
            "cuMemExportToShareableHandle",
            ctypes.byref(descriptor),
            handle,
            BY_DESCRIPTOR,
            ctypes.c_uint64(0),
        )
        return self.map(handle, size, device, READ_AND_WRITE), descriptor.value

    def import_(
        self, descriptor: int, size: int, device: int, access: int
    ) -> int:
        handle = ctypes.c_uint64()
        # By value in the place of a pointer, as cuda.h asks.
        self.must(
            "cuMemImportFromShareableHandle",
            ctypes.byref(handle),
            ctypes.c_void_p(descriptor),
            BY_DESCRIPTOR,
        )
        try:
            self.must_be_plain(handle, device)
        except RuntimeError:
            self.must("cuMemRelease", handle)
            raise
        return self.map(handle, size, device, access)

    def must_be_plain(self, handle: ctypes.c_uint64, device: int) -> None:
        """Pages of the device, and nothing that only looks like them."""
        found = Properties()
        self.must(
            "cuMemGetAllocationPropertiesFromHandle",
            ctypes.byref(found),
            handle,
        )
        kind = (found.type, found.location.type, found.location.id)
        if kind != (PINNED, ON_DEVICE, device):
            raise RuntimeError(f"memory of another kind: {kind}")

    def map(
        self, handle: ctypes.c_uint64, size: int, device: int, access: int
    ) -> int:
        """The handle is released: the mapping holds the pages."""
        at = ctypes.c_uint64()
        undo = [("cuMemRelease", (handle,))]
        pages = (at, ctypes.c_size_t(size))
        try:
            none = ctypes.c_uint64(0)
            self.must(
                "cuMemAddressReserve",
                ctypes.byref(at),
                ctypes.c_size_t(size),
                ctypes.c_size_t(0),
                none,
                none,
            )
            undo.append(("cuMemAddressFree", pages))
            self.must("cuMemMap", *pages, ctypes.c_size_t(0), handle, none)
            undo.append(("cuMemUnmap", pages))
            granted = Access(Location(ON_DEVICE, device), access)
            self.must(
                "cuMemSetAccess",
                *pages,
                ctypes.byref(granted),
                ctypes.c_size_t(1),
            )
            del undo[1:]
        finally:
            for name, arguments in reversed(undo):
                self.must(name, *arguments)
        return at.value

    def unmap(self, address: int, size: int) -> None:
        for name in ("cuMemUnmap", "cuMemAddressFree"):
            self.must(name, ctypes.c_uint64(address), ctypes.c_size_t(size))

    def forget_persistence(self) -> None:
        """No line of the L2 cache is kept back for anybody."""
        self.must("cuCtxResetPersistingL2Cache")


@functools.cache
def driver() -> Driver:
    return Driver()


class Pages:
    """What torch takes for an array on a device."""

    def __init__(self, address: int, size: int):
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


class Arena:
    """`bytes`: all of it, as one tensor that lasts until it is released."""

    def __init__(self, memory: torch.Tensor, descriptor: int):
        self.bytes = memory
        self.descriptor = descriptor

    def release(self) -> None:
        """Nothing that is in use is of it any more."""
        if self.bytes.is_cuda:
            driver().unmap(self.bytes.data_ptr(), self.bytes.numel())
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    @staticmethod
    def create(size: int, device: torch.device) -> "Arena":
        size = max(GRANULARITY, -(-size // GRANULARITY) * GRANULARITY)
        if device.type == "cpu":
            descriptor = os.memfd_create("arena")
            os.ftruncate(descriptor, size)
            return Arena(Arena.of_file(descriptor, True), descriptor)
        address, descriptor = driver().create(size, device.index or 0)
        pages = Pages(address, size)
        return Arena(torch.as_tensor(pages, device=device), descriptor)

    @staticmethod
    def take(
        descriptor: int, size: int, device: torch.device, writable: bool
    ) -> "Arena":
        """Another's, which is closed here."""
        try:
            if device.type == "cpu":
                return Arena(Arena.of_file(descriptor, writable), -1)
            access = READ_AND_WRITE if writable else READ
            address = driver().import_(
                descriptor, size, device.index or 0, access
            )
            pages = Pages(address, size)
            return Arena(torch.as_tensor(pages, device=device), -1)
        finally:
            os.close(descriptor)

    @staticmethod
    def of_file(descriptor: int, writable: bool) -> torch.Tensor:
        access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        memory = mmap.mmap(descriptor, 0, mmap.MAP_SHARED, access)
        return torch.frombuffer(memory, dtype=torch.uint8)

    def tensor(self, offset: int, entry: dict[str, Any]) -> torch.Tensor:
        """`entry`: "bytes", "dtype" as torch has it, and "shape"."""
        part = self.bytes[offset : offset + entry["bytes"]]
        return part.view(entry["dtype"]).view(entry["shape"])
