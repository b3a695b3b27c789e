"""Tests of what output_arena.py asks a driver for, beside one that is none."""

import ctypes
import os
import unittest
import warnings
from typing import Any
from unittest import mock

import output_arena
import torch
from output_arena import GRANULARITY, ON_DEVICE, PINNED, READ, READ_AND_WRITE, Access
from output_arena import Arena, Driver, Pages, Properties

CPU = torch.device("cpu")
CUDA = torch.device("cuda:1")

IMPORT = [
    "cuMemImportFromShareableHandle",
    "cuMemGetAllocationPropertiesFromHandle",
    "cuMemAddressReserve",
    "cuMemMap",
    "cuMemSetAccess",
    "cuMemRelease",
]


class Library:
    """The driver's calls; `fails` is the one that does."""

    def __init__(self, fails: str = "", device: int = 0):
        self.fails = fails
        self.device = device
        self.kind, self.place = PINNED, ON_DEVICE
        self.calls: list[str] = []
        self.arguments: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(name)
            self.arguments[name] = arguments
            if name == "cuMemExportToShareableHandle":
                arguments[0]._obj.value = 33
            if name == "cuMemAddressReserve":
                arguments[0]._obj.value = 0x7000
            if name == "cuMemGetAllocationPropertiesFromHandle":
                found = ctypes.cast(arguments[0], ctypes.POINTER(Properties))
                found.contents.type = self.kind
                found.contents.location.type = self.place
                found.contents.location.id = self.device
            return 1 if name == self.fails else 0

        return call


def taken_from(library: Library) -> list[str]:
    """The calls of taking another's memory, on device 0."""
    driver = Driver.__new__(Driver)
    driver.library = library
    try:
        driver.import_(7, GRANULARITY, 0, READ)
    except RuntimeError:
        library.calls.append("raises")
    return library.calls


class ImportTest(unittest.TestCase):
    def test_the_mapping_holds_the_pages(self) -> None:
        self.assertEqual(taken_from(Library()), IMPORT)

    def test_nothing_is_held_of_what_fails(self) -> None:
        # After the steps until then: what undoes those.
        undone = {
            IMPORT[0]: [],
            IMPORT[1]: ["cuMemRelease"],
            IMPORT[2]: ["cuMemRelease"],
            IMPORT[3]: ["cuMemAddressFree", "cuMemRelease"],
            IMPORT[4]: ["cuMemUnmap", "cuMemAddressFree", "cuMemRelease"],
        }
        for at, (step, rest) in enumerate(undone.items()):
            with self.subTest(step=step):
                self.assertEqual(
                    taken_from(Library(fails=step)),
                    IMPORT[: at + 1] + rest + ["raises"],
                )

    def test_memory_of_another_device_is_refused(self) -> None:
        self.assertEqual(
            taken_from(Library(device=1)),
            IMPORT[:2] + ["cuMemRelease", "raises"],
        )

    def test_memory_of_another_kind_is_refused(self) -> None:
        # Such as a host's, which a kernel worker could write to meanwhile.
        driver = Driver.__new__(Driver)
        driver.library = Library(device=1)
        with self.assertRaisesRegex(
            RuntimeError, r"^memory of another kind: \(1, 1, 1\)$"
        ):
            driver.must_be_plain(ctypes.c_uint64(), 0)
        for kind, place in ((PINNED + 1, ON_DEVICE), (PINNED, ON_DEVICE + 1)):
            library = Library()
            library.kind, library.place = kind, place
            self.assertEqual(
                taken_from(library), IMPORT[:2] + ["cuMemRelease", "raises"]
            )


class DriverTest(unittest.TestCase):
    """What the driver is told, by the values of cuda.h."""

    def setUp(self) -> None:
        self.library = Library(device=1)
        self.driver = Driver.__new__(Driver)
        self.driver.library = self.library

    def words(self, name: str) -> list[Any]:
        """Arguments of its last call; what lies behind pointers is left out."""
        return [
            word.value
            for word in self.library.arguments[name]
            if hasattr(word, "value")
        ]

    def test_new_pages_are_the_devices_and_have_a_descriptor(self) -> None:
        address, descriptor = self.driver.create(2 << 20, 1)
        self.assertEqual((address, descriptor), (0x7000, 33))
        self.assertEqual(
            self.library.calls, ["cuMemCreate", "cuMemExportToShareableHandle"]
            + IMPORT[2:],
        )
        _, size, pointer, _ = self.library.arguments["cuMemCreate"]
        self.assertEqual(size.value, 2 << 20)
        asked = pointer._obj
        # CU_MEM_ALLOCATION_TYPE_PINNED, _HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        # _LOCATION_TYPE_DEVICE are 1 each.
        self.assertEqual(
            (asked.type, asked.handle_types, asked.location.type),
            (1, 1, 1),
        )
        self.assertEqual(asked.location.id, 1)
        self.assertEqual(self.granted(), (1, 1, 3))

    def granted(self) -> tuple[int, int, int]:
        """To whom, and what."""
        pointer = self.library.arguments["cuMemSetAccess"][2]
        found = ctypes.cast(pointer, ctypes.POINTER(Access)).contents
        return found.location.type, found.location.id, found.flags

    def test_anothers_can_be_read_or_written_as_it_is_said(self) -> None:
        for access in (READ, READ_AND_WRITE):
            address = self.driver.import_(7, 4 << 20, 1, access)
            self.assertEqual(address, 0x7000)
            self.assertEqual(self.granted(), (1, 1, access))
            self.assertEqual(self.words("cuMemSetAccess"), [0x7000, 4 << 20, 1])
            self.assertEqual(
                self.words("cuMemImportFromShareableHandle"), [7]
            )

    def test_pages_are_given_back_whole(self) -> None:
        self.driver.unmap(0x7000, 4 << 20)
        self.assertEqual(self.library.calls, ["cuMemUnmap", "cuMemAddressFree"])
        for name in self.library.calls:
            self.assertEqual(self.words(name), [0x7000, 4 << 20])

    def test_a_call_that_fails_is_told_by_name_and_number(self) -> None:
        self.library.fails = "cuCtxResetPersistingL2Cache"
        with self.assertRaisesRegex(
            RuntimeError, "^cuCtxResetPersistingL2Cache: CUDA error 1$"
        ):
            self.driver.forget_persistence()


class ArenaTest(unittest.TestCase):
    """On a processor, where memory is a file's."""

    def test_it_is_as_many_pages_as_are_needed(self) -> None:
        for size, pages in (
            (0, 1),
            (1, 1),
            (GRANULARITY, 1),
            (GRANULARITY + 1, 2),
            (3 * GRANULARITY, 3),
        ):
            made = Arena.create(size, CPU)
            self.assertEqual(made.bytes.numel(), pages * GRANULARITY)
            self.assertEqual(os.fstat(made.descriptor).st_size, pages * (2 << 20))
            made.release()

    def test_who_takes_it_sees_what_is_written(self) -> None:
        made = Arena.create(1, CPU)
        given = os.dup(made.descriptor)
        taken = Arena.take(given, GRANULARITY, CPU, True)
        with self.assertRaises(OSError):  # It is closed.
            os.fstat(given)
        made.bytes[5] = 77
        self.assertEqual(int(taken.bytes[5]), 77)
        taken.bytes[6] = 78
        self.assertEqual(int(made.bytes[6]), 78)
        self.assertEqual(taken.descriptor, -1)
        taken.release()
        made.release()

    def test_who_may_only_read_cannot_write(self) -> None:
        made = Arena.create(1, CPU)
        taken = Arena.take(os.dup(made.descriptor), GRANULARITY, CPU, False)
        child = os.fork()
        if child == 0:  # Which ends by a signal.
            taken.bytes[0] = 1
            os._exit(0)
        _, status = os.waitpid(child, 0)
        self.assertTrue(os.WIFSIGNALED(status))
        made.release()

    def test_what_cannot_be_taken_is_closed(self) -> None:
        given = os.memfd_create("empty")
        with self.assertRaises(ValueError):
            Arena.take(given, 0, CPU, False)
        with self.assertRaises(OSError):
            os.fstat(given)

    def test_it_is_released_once(self) -> None:
        made = Arena.create(1, CPU)
        descriptor = made.descriptor
        made.release()
        with self.assertRaises(OSError):
            os.fstat(descriptor)
        self.assertEqual(made.descriptor, -1)
        made.release()

    def test_a_tensor_of_it_is_at_its_offset(self) -> None:
        made = Arena.create(1, CPU)
        made.bytes[:64] = torch.arange(64, dtype=torch.uint8)
        entry = {"bytes": 12, "dtype": torch.int16, "shape": [2, 3]}
        found = made.tensor(8, entry)
        # 8 + 256 * 9 is the first.
        self.assertEqual(int(found[0][0]), 8 + 256 * 9)
        self.assertEqual(int(found[1][2]), 18 + 256 * 19)
        made.release()

    def test_on_a_device_it_is_the_drivers(self) -> None:
        own = mock.Mock()
        own.create.return_value = (0x7000, 33)
        own.import_.return_value = 0x8000
        given = os.memfd_create("pages")
        with (
            mock.patch.object(output_arena, "driver", return_value=own),
            mock.patch("torch.as_tensor") as tensor,
        ):
            made = Arena.create(GRANULARITY + 1, CUDA)
            own.create.assert_called_once_with(2 * GRANULARITY, 1)
            pages = tensor.call_args.args[0]
            self.assertEqual(
                pages.__cuda_array_interface__["data"], (0x7000, False)
            )
            self.assertEqual(made.descriptor, 33)
            for writable, access in ((False, READ), (True, READ_AND_WRITE)):
                taken = Arena.take(os.dup(given), 4096, CUDA, writable)
                self.assertEqual(taken.descriptor, -1)
                self.assertIs(taken.bytes, tensor.return_value)
                own.import_.assert_called_with(mock.ANY, 4096, 1, access)
            made.descriptor = given
            tensor.return_value.is_cuda = True
            tensor.return_value.data_ptr.return_value = 0x7000
            tensor.return_value.numel.return_value = 4096
            made.release()
        own.unmap.assert_called_once_with(0x7000, 4096)
        with self.assertRaises(OSError):
            os.fstat(given)

    def test_a_device_without_a_number_is_the_first(self) -> None:
        own = mock.Mock()
        own.create.return_value = (0x7000, 33)
        given = os.memfd_create("pages")
        with (
            mock.patch.object(output_arena, "driver", return_value=own),
            mock.patch("torch.as_tensor"),
        ):
            Arena.create(1, torch.device("cuda"))
            own.create.assert_called_once_with(GRANULARITY, 0)
            Arena.take(given, 4096, torch.device("cuda"), False)
        own.import_.assert_called_once_with(given, 4096, 0, READ)

    def test_the_driver_is_loaded_once(self) -> None:
        output_arena.driver.cache_clear()
        self.addCleanup(output_arena.driver.cache_clear)
        with mock.patch("ctypes.CDLL") as library:
            self.assertIs(output_arena.driver(), output_arena.driver())
        library.assert_called_once_with("libcuda.so.1")

    def test_pages_are_bytes_for_torch(self) -> None:
        self.assertEqual(
            Pages(0x7000, 4096).__cuda_array_interface__,
            {
                "shape": (4096,),
                "typestr": "|u1",
                "data": (0x7000, False),  # Which may be written to.
                "version": 3,
            },
        )


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "The given buffer is not writable")
    unittest.main()
