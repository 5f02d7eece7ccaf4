# SPDX-License-Identifier: MIT
"""nanoBench's Python module, for a bare machine instead of a Linux kernel.

The interface is that of nanoBench's kernelNanoBench.py, so that programs which import it run
unchanged: `PYTHONPATH=/usr/share/bareperf/nanobench python3 -P PROGRAM`. The measurements are made by
one `bareperf bench --serve`, which stays alive between the calls. BAREPERF_BENCH has its options, as a
shell would read them: `--channel serial:/dev/ttyUSB0`, or `-- -cpu host --enable-kvm`; BAREPERF is the
tool's path.
"""

import atexit
import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# These numbers in a snippet stop and start the counters, with noMem.
PFC_START_ASM = ".quad 0xE0B513B1C2813F04"
PFC_STOP_ASM = ".quad 0xF0B513B1C2813F04"

paramDict = {}  # the parameters that are set, by their names

# parameter: (option, whether it is a switch)
_OPTIONS = {
    "fixedCounters": ("-fixed_counters", True), "nMeasurements": ("-n_measurements", False),
    "unrollCount": ("-unroll_count", False), "loopCount": ("-loop_count", False),
    "warmUpCount": ("-warm_up_count", False), "initialWarmUpCount": ("-initial_warm_up_count", False),
    "alignmentOffset": ("-alignment_offset", False), "codeOffset": ("-code_offset", False),
    "drainFrontend": ("-df", True), "range": ("-range", True), "basicMode": ("-basic_mode", True),
    "noMem": ("-no_mem", True), "noNormalization": ("-no_normalization", True), "verbose": ("-verbose", True),
    "config": ("-config_text", False), "msrConfig": ("-msr_config_text", False),
}
_AGGREGATES = {"avg": "-avg", "med": "-median", "median": "-median", "min": "-min", "max": "-max"}


def writeFile(fileName, content):
    with open(fileName, "w", encoding="utf-8") as file:
        file.write(content)


def readFile(fileName):
    with open(fileName, encoding="utf-8") as file:
        return file.read()


class _Session:
    """The tool, started at the first request."""

    def __init__(self):
        self.process = None
        self.facts = None
        self.directory = None

    def ask(self, request):
        """The answer to a request. An error ends the program, as nanoBench's does."""
        if not self.process:
            self.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.process.wait()
            sys.exit(f"bareperf bench has ended with status {self.process.returncode}")
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"bareperf bench: {answer['error']}")
        if "warning" in answer:
            print(answer["warning"], end="", file=sys.stderr)
        return answer

    def start(self):
        tool = os.environ.get("BAREPERF", "bareperf")
        options = shlex.split(os.environ.get("BAREPERF_BENCH", ""))
        try:
            self.process = subprocess.Popen([tool, "bench", "--serve", *options], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            sys.exit(f"{tool} cannot be started: {error.strerror}; set BAREPERF to its path")

    def machine(self):
        if not self.facts:
            self.facts = self.ask("about")["machine"]
        return self.facts

    def file(self, name):
        """The path of a temporary file."""
        if not self.directory:
            self.directory = tempfile.mkdtemp(prefix="bareperf-bench-")
        return os.path.join(self.directory, name)

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process = None
        if self.directory:
            shutil.rmtree(self.directory, ignore_errors=True)
            self.directory = None


_session = _Session()
atexit.register(_session.end)


def assemble(code, objFile, asmFile=None):
    """Write an object file with the code, in Intel's syntax, for later use."""
    source = asmFile or _session.file("assemble.s")
    writeFile(source, f".intel_syntax noprefix\n{code}\n")
    try:
        subprocess.run(["as", source, "-o", objFile], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"the assembler refuses the code: {error}\n{code}")


def objcopy(sourceFile, targetFile):
    """Write an object file's code as raw bytes."""
    try:
        subprocess.run(["objcopy", "-j", ".text", "-O", "binary", sourceFile, targetFile], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"the code of {sourceFile} cannot be copied: {error}")


def createBinaryFile(targetFile, asm=None, objFile=None, binFile=None):
    """Write the raw code of one of the three forms. Returns whether there was any."""
    if asm:
        objFile = _session.file("binary.o")
        assemble(asm, objFile)
    if objFile is not None:
        objcopy(objFile, targetFile)
    elif binFile is not None:
        shutil.copyfile(binFile, targetFile)
    return objFile is not None or binFile is not None


def getR14Size():
    """The bytes that can be used from the address in R14 on."""
    return _session.machine()["area_size"] // 2


def getAddress(reg):
    """The address in R14, RDI, RSI, RBP or RSP at the start of a snippet, in hexadecimal."""
    try:
        return _session.machine()["addresses"][reg.upper()]
    except KeyError:
        raise ValueError(f"{reg} has no address; there are "
                         f"{', '.join(_session.machine()['addresses'])}") from None


def setNanoBenchParameters(config=None, configFile=None, msrConfig=None, msrConfigFile=None, fixedCounters=None,
                           nMeasurements=None, unrollCount=None, loopCount=None, warmUpCount=None,
                           initialWarmUpCount=None, alignmentOffset=None, codeOffset=None, drainFrontend=None,
                           aggregateFunction=None, range=None, basicMode=None, noMem=None, noNormalization=None,
                           verbose=None, endToEnd=None):
    """Change those parameters that are not None; they stay until resetNanoBench()."""
    given = dict(locals())
    for name, file in (("config", given.pop("configFile")), ("msrConfig", given.pop("msrConfigFile"))):
        if given[name] is None and file is not None:
            given[name] = readFile(file)
    if aggregateFunction is not None and aggregateFunction not in _AGGREGATES:
        raise ValueError(f"aggregateFunction={aggregateFunction!r}: there are {', '.join(_AGGREGATES)}")
    paramDict.update({name: value for name, value in given.items() if value is not None})


def resetNanoBench():
    """Forget all parameters."""
    paramDict.clear()


def _parameters():
    """The options for the parameters that are set."""
    words = []
    for name, value in paramDict.items():
        if name == "aggregateFunction":
            words.append(_AGGREGATES[value])
        elif name in _OPTIONS:
            option, is_switch = _OPTIONS[name]
            if not is_switch:
                words += [option, str(value)]
            elif int(value):
                words.append(option)
    return words


def _part(part, code, objFile, binFile):
    """The options for one part of a snippet, which has at most one form."""
    if sum(bool(form) for form in (code, objFile, binFile)) > 1:
        raise ValueError(f"code{part}: give a text, an object file or a binary file")
    if code:
        return [f"-asm{part}", code]
    if objFile:
        binFile = _session.file(f"code{part}.bin")
        objcopy(objFile, binFile)
    return [f"-code{part}", os.path.abspath(binFile)] if binFile else []


def _value(text):
    """A count, or with range its aggregate, its least and its greatest value."""
    found = re.fullmatch(r"(\S+) \[(\S+);(\S+)\]", text)
    return tuple(float(number) for number in found.groups()) if found else float(text)


# For detP23: leave the choice between Intel's ports 2 and 3 in a known state. Counter 0 counts
# UOPS_DISPATCHED_PORT.PORT_2 during one load; if that load took port 3, a second one follows.
_PORT_23 = """
push rax; push rcx; push rdx
mov ecx, 0x38f; rdmsr; push rax; push rdx; xor eax, eax; xor edx, edx; wrmsr
mov ecx, 0x186; rdmsr; push rax; push rdx; mov eax, 0x4204a1; xor edx, edx; wrmsr
mov ecx, 0xc1; rdmsr; push rax; push rdx; xor eax, eax; xor edx, edx; wrmsr
mov ecx, 0x38f; mov eax, 1; wrmsr
mov rax, [rsp]
xor eax, eax; wrmsr
mov ecx, 0xc1; rdmsr; test eax, eax; lfence; jnz 1f
mov rax, [rsp]
1:
mov ecx, 0xc1; pop rdx; pop rax; wrmsr
mov ecx, 0x186; pop rdx; pop rax; wrmsr
mov ecx, 0x38f; pop rdx; pop rax; wrmsr
pop rdx; pop rcx; pop rax
"""


def _init(code, objFile, binFile, detP23):
    """The options for the code before each run."""
    words = _part("_init", code, objFile, binFile)
    if not detP23:
        return words
    if _session.machine()["vendor"] != "Intel":
        raise ValueError("detP23: only Intel's CPUs have the ports 2 and 3")
    target, piece = _session.file("init.bin"), _session.file("piece.bin")
    createBinaryFile(target, asm=_PORT_23)
    if createBinaryFile(piece, asm=code, objFile=objFile, binFile=binFile):
        with open(target, "ab") as whole, open(piece, "rb") as more:
            whole.write(more.read())
    return ["-code_init", target]


def _words(code, codeObjFile, codeBinFile, init, initObjFile, initBinFile, lateInit, lateInitObjFile, lateInitBinFile,
           oneTimeInit, oneTimeInitObjFile, oneTimeInitBinFile, cpu, detP23):
    """A measurement as options."""
    words = [*_part("", code, codeObjFile, codeBinFile), *_init(init, initObjFile, initBinFile, detP23),
             *_part("_late_init", lateInit, lateInitObjFile, lateInitBinFile),
             *_part("_one_time_init", oneTimeInit, oneTimeInitObjFile, oneTimeInitBinFile), *_parameters()]
    return words if cpu is None else [*words, "-cpu", str(cpu)]


def runNanoBench(code="", codeObjFile=None, codeBinFile=None, init="", initObjFile=None, initBinFile=None,
                 lateInit="", lateInitObjFile=None, lateInitBinFile=None,
                 oneTimeInit="", oneTimeInitObjFile=None, oneTimeInitBinFile=None, cpu=None, detP23=False):
    """Measure a snippet. Returns {event: count} in the events' order."""
    output = _session.ask(_words(**locals()))["output"]
    if paramDict.get("verbose"):
        print(output, end="")
    lines = (line for line in output.splitlines() if ": " in line and not line.startswith("\t"))
    return collections.OrderedDict((name, _value(value)) for name, value in (line.rsplit(": ", 1) for line in lines))


_MICROCODE, _RETIRED = "IDQ.MS_UOPS_internal", "INST_RETIRED_internal"


class _Series:
    """An event's line: the counts of the empty code, at its end and at the fence behind it, and of the code
    after each cycle, the least and the greatest."""

    def __init__(self, fields, has_range):
        numbers = [int(field) for field in fields]
        self.empty, self.fence = numbers[:2]
        self.values = numbers[2::3] if has_range else numbers[2:]
        self.least, self.most = (numbers[3::3], numbers[4::3]) if has_range else ([], [])


def _last_cycle(retired):
    """The cycle in which the code's last instruction retires; the fence retires alone in the last one. None: this
    cannot be seen."""
    if len(retired) < 3 or retired[-1] == retired[-2] or retired[-2] != retired[-3]:
        return None
    return retired.index(retired[-2])


def _fence_cycle(microcode):
    """The cycle before the fence's micro-operations come from the microcode; None: this cannot be seen."""
    pairs = zip(microcode, microcode[1:])
    return max((i for i, (one, two) in enumerate(pairs) if one == two < microcode[-1]), default=None)


def _bounds(name, series, last, fence):
    """The counts that the overhead before the code has caused, and those up to the code's end."""
    upper = name.upper()
    if "RETIRE" in upper:
        overhead = series.fence - series.empty
        return series.empty, series.values[-1] - overhead if "UOP" in upper else series.values[last]
    if "ISSUE" in upper:
        return series.values[0], series.values[last - 1] - (series.empty - series.values[0])
    return series.values[0], series.values[fence - 1] if "IDQ" in name else series.values[-1]


def _without_overhead(table):
    """{event: (counts, least, most) of the code alone}; None: its end cannot be found."""
    last, fence = _last_cycle(table[_RETIRED].values), _fence_cycle(table[_MICROCODE].values)
    if last is None or fence is None:
        return None
    result = collections.OrderedDict()
    for name, series in table.items():
        if not name.endswith("_internal"):
            low, high = _bounds(name, series, last, fence)
            result[name] = tuple([max(0, min(value, high) - low) for value in values[:last + 1]]
                                 for values in (series.values, series.least, series.most))
    return result


def runNanoBenchCycleByCycle(code="", codeObjFile=None, codeBinFile=None, init="", initObjFile=None, initBinFile=None,
                             lateInit="", lateInitObjFile=None, lateInitBinFile=None,
                             oneTimeInit="", oneTimeInitObjFile=None, oneTimeInitBinFile=None, cpu=None,
                             detP23=False):
    """Measure a snippet's counts after each core cycle. Returns {event: (counts, least, most)}; the last two are
    empty without the parameter range. Without endToEnd, the overhead around the code is removed; None: it cannot
    be found in the counts."""
    words = _words(**locals())
    config = paramDict.get("config", "")
    if paramDict.get("endToEnd"):
        words.append("-end_to_end")
    else:
        config += f"\n79.30 {_MICROCODE}\nC0.00 {_RETIRED}\n"
    output = _session.ask([*words, "-config_text", config, "-cycle_by_cycle"])["output"]
    if paramDict.get("verbose"):
        print(output, end="")
    table = collections.OrderedDict((name, _Series(fields, paramDict.get("range"))) for name, *fields in
                                    (line.split(",") for line in output.splitlines()))
    if not paramDict.get("endToEnd"):
        return _without_overhead(table)
    return collections.OrderedDict((name, (one.values, one.least, one.most)) for name, one in table.items())
