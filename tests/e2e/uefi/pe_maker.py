# SPDX-License-Identifier: MIT
"""UEFI images made from C sources, as EDK2's GenFw and as gnu-efi make them of an ELF file."""

import re
import struct
import subprocess

SCRIPT = """\
SECTIONS {
	. = 0x400;
	.text : ALIGN(0x20) { *(.text .text.*) *(.rodata .rodata.*) }
	. = ALIGN(0x20);
	.data : ALIGN(0x20) { *(.data .data.*) *(.bss .bss.*) }
	/DISCARD/ : { *(.note*) *(.comment) *(.eh_frame) }
}
"""
COMPILER = {"x86_64": "gcc", "aarch64": "aarch64-linux-gnu-gcc"}
MACHINE = {"x86_64": 0x8664, "aarch64": 0xaa64}
ABSOLUTE = {"R_X86_64_64", "R_AARCH64_ABS64"}
HEADERS = 0x400


def tool(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                          text=True).stdout


def symbols(elf):
    """{function: address}, from binutils."""
    return {name: int(at, 16) for at, _, name in
            re.findall(r"^([0-9a-f]+) (\w) (\S+)$", tool("nm", elf), re.MULTILINE)}


def sections(elf):
    """{name: (address, its bytes)}"""
    rows = re.findall(r"\] (\.text|\.data) +\w+ +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)",
                      tool("readelf", "-SW", elf))
    raw = elf.read_bytes()
    return {name: (int(address, 16), raw[int(at, 16):int(at, 16) + int(size, 16)])
            for name, address, at, size in rows}


def aligned(raw):
    return raw + bytes(-len(raw) % 0x20)


def relocations(elf):
    """The blocks of the directory, in the linker's order."""
    found = [int(at, 16) for at, kind in
             re.findall(r"^([0-9a-f]{16}) +[0-9a-f]+ (R_\w+)", tool("readelf", "-rW", elf),
                        re.MULTILINE) if kind in ABSOLUTE and int(at, 16) >= HEADERS]
    in_image = {at for at in found for start, raw in sections(elf).values()
                if start <= at < start + len(raw)}
    blocks = b""
    for at in reversed(found):
        if at in in_image:
            blocks += struct.pack("<IIHH", at & ~0xfff, 12, 0xa000 | at & 0xfff, 0)
    return blocks


def codeview(path, guid, age):
    if guid:
        return b"RSDS" + guid + struct.pack("<I", age) + path.encode() + b"\0"
    return b"NB10" + bytes(12) + path.encode() + b"\0"


def image(elf, entry, arch, debug):
    """The PE file's bytes. debug: the CodeView entry; b"": no debug directory."""
    parts = sections(elf)
    made, body = [], b""
    text, data = parts[".text"], parts[".data"]
    blocks = relocations(elf)
    directory = data[0] + len(aligned(data[1])) + len(aligned(blocks))
    for name, address, raw, flags in (
            (b".text", text[0], text[1], 0x60000020), (b".data", data[0], data[1], 0xc0000040),
            (b".reloc", data[0] + len(aligned(data[1])), blocks, 0x42000040),
            (b".debug", directory, struct.pack("<IIHHIIII", 0, 0, 0, 0, 2, len(debug),
                                                   directory + 28, directory + 28) + debug, 0x42000040)):
        body += bytes(address - HEADERS - len(body))
        made.append(struct.pack("<8s6IHHI", name, len(raw), address, len(aligned(raw)),
                                HEADERS + len(body), 0, 0, 0, 0, flags))
        body += aligned(raw)
    size = HEADERS + len(body)
    optional = struct.pack("<HBBIIIIIQIIHHHHHHIIIIHHQQQQII", 0x20b, 0, 0, len(text[1]), len(data[1]),
                           0, entry, text[0], 0, 0x20, 0x20, 0, 0, 0, 0, 0, 0, 0, size, HEADERS, 0,
                           11, 0, 0, 0, 0, 0, 0, 16)
    tables = bytearray(16 * 8)
    struct.pack_into("<II", tables, 5 * 8, data[0] + len(aligned(data[1])), len(blocks))
    if debug:
        struct.pack_into("<II", tables, 6 * 8, directory, 28)
    coff = struct.pack("<HHIIIHH", MACHINE[arch], len(made), 0, 0, 0, 240, 0x22e)
    head = b"MZ".ljust(0x3c, b"\0") + struct.pack("<I", 0x40) + b"PE\0\0" + coff + optional + tables
    return (head + b"".join(made)).ljust(HEADERS, b"\0") + body


def edk2(directory, name, source, arch="x86_64", guid=None, age=1, debug=True, path=None):
    """NAME.efi and NAME.debug, with DWARF, from a C source whose entry is _ModuleEntryPoint."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.c").write_text(source)
    (directory / "pe.lds").write_text(SCRIPT)
    elf = directory / f"{name}.debug"
    flags = ["-mno-red-zone"] if arch == "x86_64" else ["-mno-outline-atomics"]
    tool(COMPILER[arch], "-Os", "-g", "-ffreestanding", "-fno-pie", "-no-pie", "-fno-stack-protector",
         "-fno-asynchronous-unwind-tables", *flags, "-nostdlib", "-static", f"-Wl,-T,{directory}/pe.lds",
         "-Wl,-q,--build-id=none,-e,_ModuleEntryPoint,-z,max-page-size=32", "-o", elf,
         directory / f"{name}.c")
    said = codeview(path or f"/b/{name}/DEBUG/{name}.dll", guid, age) if debug else b""
    efi = directory / f"{name}.efi"
    efi.write_bytes(image(elf, symbols(elf)["_ModuleEntryPoint"], arch, said))
    return efi, elf


def gnu_efi(directory, name, source):
    """NAME.efi and NAME.so, by gnu-efi's own linker script and start-up code, for x86_64."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.c").write_text(source)
    made, so, efi = directory / f"{name}.o", directory / f"{name}.so", directory / f"{name}.efi"
    tool("gcc", "-I/usr/include/efi", "-I/usr/include/efi/x86_64", "-fpic", "-ffreestanding", "-O1",
         "-g", "-fno-stack-protector", "-fshort-wchar", "-mno-red-zone", "-c", "-o", made,
         directory / f"{name}.c")
    tool("ld", "-nostdlib", "-znocombreloc", "-shared", "-Bsymbolic", "-T",
         "/usr/lib/elf_x86_64_efi.lds", "-L/usr/lib", "/usr/lib/crt0-efi-x86_64.o", made, "-o", so,
         "-lefi", "-lgnuefi")
    tool("objcopy", *(f"-j{part}" for part in (".text", ".sdata", ".data", ".dynamic", ".dynsym",
                                               ".rel", ".rela", ".rel.*", ".rela.*", ".reloc")),
         "--target=efi-app-x86_64", so, efi)
    return efi, so
