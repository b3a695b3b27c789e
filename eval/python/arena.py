"""Memory on a device that processes share by a descriptor.

CUDA's calls for it are cuda.h's, by their own names; for the CPU a memory file
stands in, so that everything but these calls can be tried without a GPU.
"""

import ctypes
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
        return self.map(handle, size, device, access)

    def map(
        self, handle: ctypes.c_uint64, size: int, device: int, access: int
    ) -> int:
        at = ctypes.c_uint64()
        self.must(
            "cuMemAddressReserve",
            ctypes.byref(at),
            ctypes.c_size_t(size),
            ctypes.c_size_t(0),
            ctypes.c_uint64(0),
            ctypes.c_uint64(0),
        )
        self.must(
            "cuMemMap",
            at,
            ctypes.c_size_t(size),
            ctypes.c_size_t(0),
            handle,
            ctypes.c_uint64(0),
        )
        granted = Access(Location(ON_DEVICE, device), access)
        self.must(
            "cuMemSetAccess",
            at,
            ctypes.c_size_t(size),
            ctypes.byref(granted),
            ctypes.c_size_t(1),
        )
        self.must("cuMemRelease", handle)  # The mapping holds the pages.
        return at.value

    def forget_persistence(self) -> None:
        """No line of the L2 cache is kept back for anybody."""
        self.must("cuCtxResetPersistingL2Cache")


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
    """`bytes`: all of it, as one tensor that lasts as long as the process."""

    def __init__(self, memory: torch.Tensor, descriptor: int):
        self.bytes = memory
        self.descriptor = descriptor

    @staticmethod
    def create(size: int, device: torch.device) -> "Arena":
        size = max(GRANULARITY, -(-size // GRANULARITY) * GRANULARITY)
        if device.type == "cpu":
            descriptor = os.memfd_create("arena")
            os.ftruncate(descriptor, size)
            return Arena(Arena.of_file(descriptor, True), descriptor)
        address, descriptor = Driver().create(size, device.index or 0)
        pages = Pages(address, size)
        return Arena(torch.as_tensor(pages, device=device), descriptor)

    @staticmethod
    def take(
        descriptor: int, size: int, device: torch.device, writable: bool
    ) -> "Arena":
        """Another's, which is closed here."""
        if device.type == "cpu":
            memory = Arena.of_file(descriptor, writable)
        else:
            access = READ_AND_WRITE if writable else READ
            address = Driver().import_(
                descriptor, size, device.index or 0, access
            )
            memory = torch.as_tensor(Pages(address, size), device=device)
        os.close(descriptor)
        return Arena(memory, -1)

    @staticmethod
    def of_file(descriptor: int, writable: bool) -> torch.Tensor:
        access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        memory = mmap.mmap(descriptor, 0, mmap.MAP_SHARED, access)
        return torch.frombuffer(memory, dtype=torch.uint8)

    def tensor(self, offset: int, entry: dict[str, Any]) -> torch.Tensor:
        """`entry`: "bytes", "dtype" as torch has it, and "shape"."""
        part = self.bytes[offset : offset + entry["bytes"]]
        return part.view(entry["dtype"]).view(entry["shape"])
