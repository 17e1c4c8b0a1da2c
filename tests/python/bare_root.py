"""A root folder that has Python, its libraries and the C++ runtime, and no other file of this machine."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import files, requires
from pathlib import Path

from packaging.requirements import Requirement

# What manylinux counts on.
RUNTIME = (
    "ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "librt.so.1",
    "libstdc++.so.6",
)  # fmt: skip
NOBODY = "65534:65534"
HOME = "/home"
START = f"import os, sys; os.chdir('{HOME}'); os.execv(sys.argv[1], sys.argv[1:])"


class BareRoot:
    """Programs of a virtual environment, started there by an ordinary user."""

    def __init__(self, root: Path, environment: Path) -> None:
        self.root, self.environment, self.home = root, environment, root / HOME.strip("/")
        self._mounted = [Path(sys.base_prefix), environment, *map(Path, ("/proc", "/sys", "/dev"))]
        root.chmod(0o755)
        for path in (*self._mounted, Path("/tmp"), Path(HOME)):
            (root / path.relative_to("/")).mkdir(parents=True, exist_ok=True)
        for path in (root / "tmp", self.home):
            path.chmod(0o777)
        for library in _libraries():
            there = root / library.relative_to("/")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, there)

    def __call__(self, program: str, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Runs a program of the environment, in the home folder."""
        mounts = [f"mount --rbind '{path}' '{self.root}{path}'" for path in self._mounted]
        root = os.geteuid() == 0
        alone = ["unshare", "--mount", *([] if root else ["--user", "--map-root-user"])]
        inside = ["chroot", *(["--userspec", NOBODY] if root else []), str(self.root)]
        bin_ = self.environment / "bin"
        started = [*inside, str(bin_ / "python"), "-c", START, str(bin_ / program), *words]
        return subprocess.run(
            [*alone, "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh", *started],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": HOME, **variables},
            capture_output=True,
            text=True,
            check=False,
        )


def _libraries() -> set[Path]:
    """The shared libraries of this Python, of its modules and of C++."""
    prefix = Path(sys.base_prefix)
    programs = [Path(sys.executable).resolve(), *prefix.glob("lib/python3*/lib-dynload/*.so")]
    found = {Path(path) for path in _loaded(programs) if not Path(path).is_relative_to(prefix)}
    folder = next(path.parent for path in found if path.name == "libc.so.6")
    return found | {folder / name for name in RUNTIME}


def _loaded(programs: list[Path]) -> set[str]:
    listed = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(/\S+) \(0x", listed))


def needed_by(requirement: str, known: frozenset[str] = frozenset()) -> set[str]:
    """The packages of this environment that one of it needs, with itself; `known` are looked at already."""
    asked = Requirement(requirement)
    found = {asked.name} | known
    for line in requires(asked.name) or []:
        one = Requirement(line)
        wanted = one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (*asked.extras, ""))
        if wanted and one.name not in found:
            found |= needed_by(str(one).partition(";")[0], frozenset(found))
    return found


def link_installed(package: str, environment: Path) -> None:
    """Puts the files of a package of this environment into another, without a second copy of them."""
    for file in files(package) or []:
        here = Path(str(file.locate())).resolve()
        there = environment / here.relative_to(sys.prefix)
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.is_file() and not there.exists():
            try:
                os.link(here, there)
            except OSError:  # another file system
                shutil.copy2(here, there)
