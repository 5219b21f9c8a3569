"""Wheels of ocobench: the backend of pyproject.toml, and those with the program inside.

pip calls build_wheel for "pip install ./clients/python", and gets a wheel with the module
alone. scripts/wheels.sh calls

    python3 wheels.py OUT VERSION GOOS/GOARCH PROGRAM

for a wheel that has the program bench too, of one system. The same input gives the same
bytes. This file needs Python 3.9 and the standard library.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import zipfile
from typing import Any, Optional

HERE = os.path.dirname(os.path.abspath(__file__))

# The tags of the systems, by the names of Go. The programs need no library of the system;
# macOS 12 is the oldest that Go 1.26 supports.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

METADATA = """\
Metadata-Version: 2.1
Name: ocobench
Version: {version}
Summary: Learners, problems and experiments of ocobench, a benchmark harness for constrained online convex optimisation
Requires-Python: >=3.9
Classifier: Typing :: Typed
"""


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """Write the wheel of the module, as PEP 517 asks for, and return its name."""
    with open(os.path.join(HERE, "ocobench.py"), encoding="utf-8") as f:
        version = re.search(r'^__version__ = "(.*)"$', f.read(), re.MULTILINE)[1]
    return wheel(wheel_directory, version)


def wheel(
    directory: str, version: str, platform: Optional[str] = None, program: Optional[str] = None
) -> str:
    """Write a wheel, of a platform with its program or of the module alone, and return its name."""
    tags = [f"py3-none-{tag}" for tag in (PLATFORMS[platform] if platform else "any").split(".")]
    info = f"ocobench-{version}.dist-info"
    with open(os.path.join(HERE, "ocobench.py"), encoding="utf-8") as f:
        module = re.sub(
            r'^__version__ = ".*"$',
            f'__version__ = "{version}"',
            f.read(),
            count=1,
            flags=re.MULTILINE,
        )
    files = [("ocobench/__init__.py", module.encode(), 0o644), ("ocobench/py.typed", b"", 0o644)]
    if platform and program:
        with open(program, "rb") as f:
            name = "bench.exe" if platform.startswith("windows/") else "bench"
            files.append((f"ocobench-{version}.data/scripts/{name}", f.read(), 0o755))
    pure = "false" if platform else "true"
    head = f"Wheel-Version: 1.0\nGenerator: ocobench\nRoot-Is-Purelib: {pure}\n"
    files.append((f"{info}/METADATA", METADATA.format(version=version).encode(), 0o644))
    files.append(
        (f"{info}/WHEEL", (head + "".join(f"Tag: {tag}\n" for tag in tags)).encode(), 0o644)
    )
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data, _ in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))
    name = f"ocobench-{version}-py3-none-{PLATFORMS[platform] if platform else 'any'}.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w") as z:
        for path, data, mode in files:
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100000 | mode) << 16
            z.writestr(entry, data)
    return name


def _digest(data: bytes) -> str:
    """Return the SHA-256 of data as a RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def public(version: str) -> str:
    """Return a version of bench as PEP 440 writes it: 0.2.0-dev-368f03b+dirty is
    0.2.0.dev0+368f03b.dirty."""
    release, _, local = version.replace("-dev", ".dev0", 1).replace("+", ".").partition("-")
    return f"{release}+{local}" if local else release


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[3] not in PLATFORMS:
        sys.exit(f"usage: wheels.py OUT VERSION {'|'.join(PLATFORMS)} PROGRAM")
    out, bench_version, for_platform, bench = sys.argv[1:]
    print(os.path.join(out, wheel(out, public(bench_version), for_platform, bench)))
