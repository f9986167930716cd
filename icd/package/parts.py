"""What a package has of other people: parts.py TRIPLE FOLDER writes `copyright` with the licences of all crates in the
library, and `sbom.cdx.json`, a bill of materials in CycloneDX's form. Both come from `cargo metadata` and the crates'
own files; the same Cargo.lock gives the same bytes."""

import json
import pathlib
import re
import subprocess
import sys

triple, folder = sys.argv[1], pathlib.Path(sys.argv[2])
command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={triple}"]
data = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
packages = {package["id"]: package for package in data["packages"]}
nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
ours = set(data["workspace_members"])


def depends(id):
    """What a crate has in it: neither what only its tests or its build need, nor macros' crates."""
    kinds = [(dep["pkg"], kind["kind"]) for dep in nodes[id]["deps"] for kind in dep["dep_kinds"]]
    is_macro = lambda id: any("proc-macro" in target["kind"] for target in packages[id]["targets"])
    return sorted({dep for dep, kind in kinds if kind is None and not is_macro(dep)})


root = next(id for id in ours if packages[id]["name"] == "clift-icd")
found, rest = set(), [root]
while rest:
    id = rest.pop()
    if id not in found:
        found.add(id)
        rest += depends(id)
order = sorted(found, key=lambda id: (packages[id]["name"], packages[id]["version"]))
others = [id for id in order if id not in ours]


def licences(package):
    """The texts of a crate's licences."""
    at = pathlib.Path(package["manifest_path"]).parent
    names = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
    files = [path for path in sorted(at.iterdir()) if names.match(path.name) and path.is_file()]
    return [path.read_text(errors="replace").strip() for path in files]


# Each text once, with the crates that have it.
texts, without = {}, []
for id in others:
    package = packages[id]
    label = f"{package['name']} {package['version']}"
    if not package["license"] and not package["license_file"]:
        sys.exit(f"{label} tells no licence")
    found_here = licences(package)
    if not found_here:
        without.append(f"{label}: {package['license']}")
    for text in found_here:
        texts.setdefault(text, []).append(label)
lines = ["Clift: MIT OR Apache-2.0, at your option.", ""]
for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
    lines += [(pathlib.Path(packages[root]["manifest_path"]).parent / name).read_text().strip(), "", "-" * 80, ""]
lines += ["The library has these crates in it, with their licences:", ""]
for id in others:
    lines += [f"  {packages[id]['name']} {packages[id]['version']}: {packages[id]['license'] or 'see below'}"]
lines += ["  the Rust standard library: MIT OR Apache-2.0, and of its parts foldhash: Zlib, Unicode's tables: Unicode-3.0,"]
lines += ["    compiler-builtins: Apache-2.0 WITH LLVM-exception"]
lines += ["  libunwind, if zig linked it: Apache-2.0 WITH LLVM-exception"]
if without:
    lines += ["", "Of these, whose crates have no file with its text, it is the common text of that name:", ""]
    lines += [f"  {line}" for line in without]
# The toolchain has the text of a licence that no crate brings.
sysroot = subprocess.run(["rustc", "--print=sysroot"], check=True, capture_output=True, text=True).stdout.strip()
unicode = pathlib.Path(sysroot) / "share/doc/rust/licenses/Unicode-3.0.txt"
if unicode.is_file():
    texts.setdefault(unicode.read_text().strip(), []).append("Unicode's tables in the Rust standard library")
for text, labels in texts.items():
    lines += ["", "-" * 80, ", ".join(labels), "", text]
(folder / "copyright").write_text("\n".join(lines) + "\n")


def purl(id):
    return f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"


def component(id, kind):
    """A crate as CycloneDX writes it."""
    package = packages[id]
    part = {"type": kind, "bom-ref": purl(id), "name": package["name"], "version": package["version"], "purl": purl(id)}
    if package["license"]:
        # Some still write a slash, which was never in the standard's expressions.
        part["licenses"] = [{"expression": " OR ".join(part.strip() for part in package["license"].split("/"))}]
    return part


bom = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {"component": component(root, "library")},
    "components": [component(id, "library") for id in order if id != root],
    "dependencies": [{"ref": purl(id), "dependsOn": [purl(dep) for dep in depends(id)]} for id in order],
}
(folder / "sbom.cdx.json").write_text(json.dumps(bom, indent=1) + "\n")
