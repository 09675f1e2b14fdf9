#!/usr/bin/env python3
"""Checks who includes whom; CMakeLists.txt holds the same table as links between libraries."""

import re

import source_text

BLOCKS = [f"models/{name}" for name in (
    "fabric", "memory", "mmu", "pcie", "host", "command_processor", "cmp", "engine", "display")]
MODELS = ["models/abi", "models/common", *BLOCKS, "models/top"]
DRIVER_SEAM = ["kmd_stub/wddm", "kmd_stub/host"]
TESTS = ["tb/support", "tb/unit", "tb/integration", "tb/system", "tb/bench", "tb/fuzz"]

# What a folder may include besides itself. A folder of tb that is not listed may include anything
# but the tests; the tests may include anything.
ALLOWED = {
    "models/abi": [],
    "models/common": ["models/abi"],
    **{block: ["models/abi", "models/common"] for block in BLOCKS},
    "models/top": MODELS,
    "kmd_stub/wddm": [],
    "kmd_stub/host": ["kmd_stub/wddm", "models/abi"],
    "kmd_stub/core": ["models/abi", *DRIVER_SEAM],
    "kmd_stub/ddi": ["models/abi", *DRIVER_SEAM, "kmd_stub/core"],
    "tb/os": [*MODELS, *DRIVER_SEAM],
    "tb/user": [*MODELS, *DRIVER_SEAM, "tb/os"],
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
OS_NAMES = re.compile(r"\w*(?:Dxgk|DXGK|D3DKMT|WDDM)\w*")
SYSTEMC = re.compile(r"(systemc(\.h)?|tlm(\.h)?|sysc/.*|tlm_core/.*|tlm_utils/.*)$")


def folder_of(path):
    return "/".join(str(path).split("/")[:2])


def is_plain(folder):
    """Folders of plain C++: the standard library only."""
    return folder == "models/abi" or folder.startswith("kmd_stub/")


def complaint_on_system_header(folder, name):
    if name.startswith(("models/", "kmd_stub/", "tb/")):
        return "our own header: include it with quotes"
    if is_plain(folder) and (SYSTEMC.match(name) or "/" in name or name.endswith(".h")):
        return f"{folder} is plain C++: only headers of the standard library"
    if name.startswith(("catch2/", "rapidcheck")) and folder not in TESTS:
        return "only tests include the test framework"
    return None


def complaint_on_own_header(root, folder, name):
    if name == "fenceline_version.h":
        return None
    if not name.startswith(("models/", "kmd_stub/", "tb/")):
        return "say the folder, from the top of the repository"
    if not (root / name).is_file():
        return "there is no such file"
    target = folder_of(name)
    if target == folder or folder in TESTS:
        return None
    if folder in ALLOWED and target not in ALLOWED[folder]:
        return f"{folder} may not include {target}"
    if folder not in ALLOWED and not folder.startswith("tb/"):
        return f"{folder} is not in the table of scripts/check_includes.py"
    if target in TESTS:
        return "only tests include tests"
    return None


def check(root):
    for path in source_text.files(root, {".h", ".cpp"}, ("models", "kmd_stub", "tb")):
        folder = folder_of(path)
        if folder.startswith("tb/package"):  # projects of their own
            continue
        code = source_text.code_of((root / path).read_text(), keep_strings=True)
        for include in INCLUDE.finditer(code):
            kind, name = include.groups()
            complaint = (complaint_on_system_header(folder, name) if kind == "<"
                         else complaint_on_own_header(root, folder, name))
            if complaint:
                yield f"{path}:{source_text.line_of(code, include.start())}: {name}: {complaint}"
        if folder.startswith("models/"):
            for word in OS_NAMES.finditer(code):
                yield (f"{path}:{source_text.line_of(code, word.start())}: {word.group()}: "
                       "hardware knows nothing of the operating system's names")


SAMPLES = [
    ("models/mmu/a.cpp", '#include "models/pcie/link.h"\n', True),
    ("models/mmu/a.cpp", '#include "models/mmu/a.cpp"\n#include <systemc>\n', False),
    ("models/mmu/a.cpp", '// #include "models/pcie/link.h"\n', False),
    ("models/mmu/a.cpp", '#include "models/mmu/missing.h"\n', True),
    ("models/mmu/a.cpp", '#include "a.h"\n', True),
    ("models/mmu/a.cpp", "#include <models/mmu/a.cpp>\n", True),
    ("models/mmu/a.cpp", "int DxgkDdiEscape();\n", True),
    ("models/mmu/a.cpp", "int a;  // as DxgkDdiEscape says\n", False),
    ("models/new_block/a.cpp", '#include "models/common/steps.h"\n', True),
    ("models/abi/a.h", "#include <cstdint>\n#include <array>\n", False),
    ("models/abi/a.h", "#include <systemc>\n", True),
    ("models/top/a.cpp", '#include "tb/os/scheduler.h"\n', True),
    ("kmd_stub/core/a.cpp", "#include <tlm>\n", True),
    ("kmd_stub/core/a.cpp", "#include <spdlog/spdlog.h>\n", True),
    ("kmd_stub/core/a.cpp", '#include "models/common/steps.h"\n', True),
    ("tb/os/a.cpp", '#include "kmd_stub/core/adapter.h"\n', True),
    ("tb/cli/a.cpp", "#include <catch2/catch.hpp>\n", True),
    ("tb/unit/a.cpp", "#include <catch2/catch.hpp>\n", False),
]

if __name__ == "__main__":
    source_text.main(check, SAMPLES)
