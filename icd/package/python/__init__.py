"""Clift, an OpenCL platform for CPUs. pyopencl's wheels find it by themselves; for other programs, `library()` is the
path of the driver's library, to be named in a .icd file or linked in place of an OpenCL loader."""

import os


def library() -> str:
    """The absolute path of libclift.so."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "libclift.so")


def tool() -> str:
    """The absolute path of the command-line tool."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "clift")
