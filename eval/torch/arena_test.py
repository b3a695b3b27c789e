"""Tests of what arena.py asks a driver for, beside one that is none."""

import ctypes
import unittest
from typing import Any

from arena import GRANULARITY, ON_DEVICE, PINNED, READ, Driver, Properties

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
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(name)
            if name == "cuMemGetAllocationPropertiesFromHandle":
                found = ctypes.cast(arguments[0], ctypes.POINTER(Properties))
                found.contents.type = PINNED
                found.contents.location.type = ON_DEVICE
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


if __name__ == "__main__":
    unittest.main()
