#!/usr/bin/env python3
"""tuning_space: tables of brute-forced tuning spaces."""

import contextlib
import gzip
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import tuning_space

CACHE = {"tune_params_keys": ["tile", "unroll"], "cache": {
    "8,1": {"tile": 8, "unroll": 1, "time": 2.0, "times": [1.0, 3.0]},
    "8,2": {"tile": 8, "unroll": 2, "time": "InvalidConfig"},
    "16,1": {"tile": 16, "unroll": 1, "time": 1e20},
    "16,2": {"tile": 16, "unroll": 2, "time": 5.0}}}
# The mean of 1 and 3 is 2, and each is 1 away from it.
TABLE = ("tile,unroll,status,time_ms,stddev_ms,samples\n"
         "8,1,ok,2,1,2\n8,2,invalid,,,\n16,1,runtime_failed,,,\n"
         "16,2,ok,5,0,1\n")
T4 = {"results": [
    {"configuration": {"tile": 8}, "invalidity": "correct",
     "times": {"runtimes": [1.5]}},
    {"configuration": {"tile": 16}, "invalidity": "timeout"}]}


class TuningSpaceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "cache.json"

    def made(self, data, *more):
        self.file.write_bytes(data if isinstance(data, bytes)
                              else json.dumps(data).encode())
        out = io.StringIO()
        with (mock.patch.object(sys, "argv", ["x", str(self.file), *more]),
              contextlib.redirect_stdout(out)):
            tuning_space.main()
        return out.getvalue()

    def refused(self, data, why, *more):
        with self.assertRaisesRegex(SystemExit, why):
            self.made(data, *more)

    def test_a_cache_is_a_row_for_each_configuration(self):
        self.assertEqual(self.made(CACHE), TABLE)
        self.assertEqual(self.made(gzip.compress(json.dumps(CACHE).encode())),
                         TABLE)

    def test_one_that_was_not_closed_is_read_as_far_as_it_goes(self):
        text = json.dumps(CACHE)
        self.assertTrue(text.endswith("}}}"))
        self.assertEqual(self.made(text[:-2].encode()), TABLE)
        self.assertEqual(self.made((text[:-2] + ",\n").encode()), TABLE)

    def test_an_objective_may_say_why_there_is_no_time(self):
        cache = {**CACHE, "objective": "speed", "cache": {
            "8,1": {"tile": 8, "unroll": 1, "time": 2.0, "speed": "correctness"},
            "8,2": {"tile": 8, "unroll": 2}}}
        self.assertEqual(self.made(cache).splitlines()[1:],
                         ["8,1,wrong_output,,,", "8,2,runtime_failed,,,"])

    def test_results_of_t4_are_the_same(self):
        self.assertEqual(self.made(T4), "tile,status,time_ms,stddev_ms,samples\n"
                                        "8,ok,1.5,0,1\n16,timed_out,,,\n")

    def test_a_part_is_cut_out_by_its_values(self):
        lines = self.made(CACHE, "--first", "tile=8,32", "--first", "unroll=1")
        self.assertEqual(lines.splitlines()[1:], ["8,1,ok,2,1,2"])

    def test_what_is_none_is_said(self):
        self.refused(b"no json", "no JSON; expected a cache")
        self.refused(b"\xff\xfe", "codec can't decode")
        self.refused({}, "neither a cache of Kernel Tuner nor T4 results")
        self.refused(CACHE, "--first depth=8: expected one of tile unroll",
                     "--first", "depth=8")
        self.refused(CACHE, "--first tile: expected", "--first", "tile")
        strange = {"results": [{**T4["results"][1], "invalidity": "moon"}]}
        self.refused(strange, "status 'moon' is none of")


if __name__ == "__main__":
    unittest.main()
