"""Makes the wheel: wheel.py PREFIX VERSION PLATFORM OUTDIR, of the files of a package below PREFIX. With zopfli
installed, it is packed as small as deflate allows."""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

try:
    from zopfli import zlib as zopfli
except ImportError:
    zopfli = None



class Zopfli:
    """What `zipfile` packs a member with."""

    def __init__(self):
        self.data = b""

    def compress(self, data):
        self.data += data
        return b""

    def flush(self):
        # Without the header and the sum that zlib's format adds.
        return zopfli.compress(self.data, numiterations=5, blocksplittingmax=0)[2:-4]


if zopfli:
    zipfile._get_compressor = lambda *_: Zopfli()

prefix, version, platform, out = sys.argv[1:]
prefix, here = pathlib.Path(prefix), pathlib.Path(__file__).parent
info = f"clift-{version}.dist-info"
when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
doc = prefix / "share/doc/clift"

METADATA = f"""Metadata-Version: 2.1
Name: clift
Version: {version}
Summary: OpenCL on CPUs, without LLVM; pyopencl finds it by itself
License: MIT OR Apache-2.0
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering
Description-Content-Type: text/markdown

An OpenCL 3.1 platform for CPUs. After `pip install clift pyopencl`, pyopencl's wheels list it among their platforms;
no variable is to be set. `python -m clift info` shows the device; `check`, `profile` and `record` run a program under
tools that find mistakes, show where time goes, and keep launches. `clift.library()` is the library's path.
"""

WHEEL = f"""Wheel-Version: 1.0
Generator: clift
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""

files = {
    **{f"clift/{path.name}": path.read_bytes() for path in sorted((here / "python").glob("*.py"))},
    "clift/clift": (prefix / "bin/clift").read_bytes(),
    "clift/libclift.so": (prefix / "lib/libclift.so").read_bytes(),
    # The loader in pyopencl's wheels looks in this folder; $ORIGIN is where that loader is.
    "pyopencl/.libs/clift.icd": b"$ORIGIN/../../clift/libclift.so\n",
    f"{info}/METADATA": METADATA.encode(),
    f"{info}/WHEEL": WHEEL.encode(),
    f"{info}/entry_points.txt": b"[console_scripts]\nclift = clift.__main__:main\n",
    f"{info}/licenses/copyright": (doc / "copyright").read_bytes(),
    f"{info}/sboms/sbom.cdx.json": (doc / "sbom.cdx.json").read_bytes(),
}
digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
record = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()

with zipfile.ZipFile(pathlib.Path(out) / f"clift-{version}-py3-none-{platform}.whl", "w") as wheel:
    for name, data in files.items():
        entry = zipfile.ZipInfo(name, when)
        is_program = name in ["clift/clift", "clift/libclift.so"]
        entry.external_attr = (0o100755 if is_program else 0o100644) << 16
        wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
