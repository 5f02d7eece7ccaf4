#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bareperf report --html` in a real browser: a selection has the figures that stock perf reports
for the same time, and no text of a recording is executed.

check-spare: files are read
"""

import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import browser as browsers
import fake_run
import perf_file
import tap

TOOL = fake_run.TOOL
SOURCE = """
int leaf(volatile int *p)
{
	int sum = *p * 5; /* </script><b>bold */
	for (int i = 0; i < 9; i++)
		*p += i;
	return sum + *p;
}
int cpu_idle(volatile int *p) { return *p * 7; }
int other(volatile int *p) { return *p * 3; }
int middle(volatile int *p) { return leaf(p) + other(p); }
int record_workload(void) { int x = 0; return middle(&x); }
int pthread_enter(void) { int x = 0; return middle(&x); }
int thread_enter(void) { return pthread_enter(); }
int payload_run_call(int thread) { return thread ? thread_enter() : record_workload(); }
int main(int argc, char **argv) { return payload_run_call(argc > 1); }
"""
OUTER = (("middle", "_start", "record_workload", "payload_run_call", "main"),
         # the callers of main(), and of a thread
         ("middle", "pthread_enter", "thread_enter", "payload_run_call", "main"))
HOSTILE = "</script><script>document.title='RUNS'</script><img/src=x/onerror=alert(1)>"
ADDRESS, START = 0x40000000, 5_000_000_123
SAMPLES = 80000  # more than fit in a chunk, on each of two CPUs
directory = tempfile.TemporaryDirectory(prefix="bareperf-html-")
HERE = pathlib.Path(directory.name)
DATA, PAGE = HERE / "perf.data", HERE / "page.html"


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          timeout=300, check=False, cwd=HERE)


def build(name, *rename):
    """NAME.sym, an ELF file with known functions, and NAME.elf beside it with DWARF. Returns {name:
    file offset}."""
    full, name = HERE / f"{name}.elf", HERE / f"{name}.sym"
    (HERE / "t.c").write_text(SOURCE)
    subprocess.run(["gcc", "-g", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-no-pie",
                    "-Wl,--build-id=sha1", "-o", full, HERE / "t.c"], check=True)
    if rename:
        subprocess.run(["objcopy", "--redefine-sym", "=".join(rename), full], check=True)
    subprocess.run(["objcopy", "--strip-debug", full, name], check=True)
    names = dict(line.split()[::2][::-1] for line in run("nm", name).stdout.splitlines()
                 if len(line.split()) == 3)
    return {name: int(value, 16) - 0x400000 for name, value in names.items()}


def make(path, image, places, events):
    """Samples on two CPUs in functions that change with time, and marks of each kind."""
    file = perf_file.PerfFile(events, cpus=2)
    file.image(HERE / f"{image}.sym", ADDRESS, 0x10000, 0)
    for cpu in range(2):
        file.command("test", 1 + cpu)
    chance = random.Random(1)
    times = [START, START]
    outer = [[ADDRESS + places[name] + 6 for name in names] for names in OUTER]
    for i in range(SAMPLES):
        cpu = i % 2
        where = "leaf" if i < SAMPLES / 2 or cpu else "other"
        ip = ADDRESS + places[where] + chance.choice((0, 2, 5))
        file.sample(ip, times[cpu], cpu, chance.randint(900, 1100), outer[cpu], event=i // 2 % len(events))
        times[cpu] += chance.randint(40_000, 60_000)
    file.lost(7, START + 10**8, cpu=1)
    file.throttle(START + 2 * 10**8, START + 3 * 10**8)
    file.aux(1, START + 4 * 10**8)
    file.write(path)


def of_perf(*options):
    """{function: (samples, periods)} for one event, as stock perf reports them."""
    done = run("perf", "report", "-i", DATA, "--stdio", "--no-children", "-g", "none", "-t", ";",
               "-F", "sample,period,sym", *options)
    found = {}
    for line in done.stdout.splitlines():
        fields = [field.strip() for field in line.split(";")]
        if not line.startswith("#") and len(fields) == 3:
            found[re.sub(r"^\[.\] ", "", fields[2])] = (int(fields[0]), int(fields[1]))
    return found


def of_page(page):
    """The same from the page: its sums, and its table's samples."""
    sums = page.value("""Object.fromEntries(functionsOf(recording, state.sums, false)
        .filter((one) => one.samples).map((one) => [one.name, [one.samples, one.own]]))""")
    table = dict(page.value("""[...document.querySelectorAll('#functions tbody tr')]
        .map((row) => [row.cells[3].textContent, Number(row.cells[2].textContent)])"""))
    for name, (samples, _) in sums.items():
        if table.get(name) != samples:
            return {"the table": table}
    return {name: tuple(both) for name, both in sums.items()}


def text(page, selector):
    return page.value(f"document.querySelector('{selector}').innerText")


def time_of(page):
    """The --time that the page shows."""
    return re.search(r"--time (\S+)", text(page, "#perf")).group(1)


def point(page, share):
    """A position in the first CPU's row."""
    left, top, width = page.value("""(() => { const e = document.querySelector('.row canvas');
        e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();
        return [b.left, b.top + 30, b.width]; })()""")
    return left + share * width, top


def selections(page):
    tap.equal(of_page(page), of_perf(), "the page's samples and periods, by function, are stock perf's")
    page.settle(lambda: page.drag(point(page, 0.25), point(page, 0.6)))
    chosen, asked = of_page(page), time_of(page)
    tap.equal(chosen, of_perf("--time", asked),
              f"the selection by mouse ({asked}) has the same figures as perf report --time")
    tap.ok(0 < sum(samples for samples, _ in chosen.values()) < SAMPLES * 0.5,
           "and is a part of the whole", chosen)
    page.settle(lambda: page.press("z"))
    tap.equal((of_page(page), time_of(page), page.value("document.getElementById('selection').hidden")),
              (chosen, asked, True), "z shows the selection alone: the same samples")
    page.settle(lambda: page.press("-"))
    page.settle(lambda: page.press("ArrowLeft"))
    tap.equal(of_page(page), of_perf("--time", time_of(page)), "zoomed out and moved by keys, likewise")
    page.settle(lambda: page.click_at(*point(page, 0.5)) or page.press("0"))
    tap.equal(of_page(page), of_perf(), "0 shows all of it again")
    page.settle(lambda: page.click(".row input"))
    tap.equal(of_page(page), of_perf("-C", "1"), "a CPU that is switched off is in no sum")
    page.settle(lambda: page.click(".row input"))


def bars(page):
    """The time line's drawing of a CPU, zoomed out by parts of chunks and zoomed in by samples,
    agrees with the page's sums."""
    whole = sum(period for _, period in of_perf("-C", "0").values())
    drawn = "columnsOf(recording, view, 0, 1000).columns"
    tap.ok(abs(page.value(f"total({drawn})") - whole) < 1,
           "the bars of a CPU add up to perf's figure")
    page.settle(lambda: page.drag(point(page, 0.9), point(page, 0.91)) or page.press("z"))
    page.wait("columnsOf(recording, view, 0, 1000).coarse.length === 0")
    near = sum(period for _, period in of_perf("-C", "0", "--time", time_of(page)).values())
    tap.equal((page.value(f"total({drawn})"), page.value(f"{drawn}.filter((bar) => bar).length") > 10),
              (near, True), "and near by, sample for sample, likewise")
    page.settle(lambda: page.press("0"))


def typed(page):
    """A selection is exact to the nanosecond: from a sample to a sample, both included."""
    times = sorted(int(float(line.strip().rstrip(":")) * 1e9 + 0.5) - START for line in
                   run("perf", "script", "--ns", "-i", DATA, "-F", "time").stdout.splitlines())
    first, last = times[60000], times[79000]
    for name, value in (("from", first), ("to", last)):
        page.value(f"document.getElementById('{name}').select()")
        page.settle(lambda: page.type(f"{value / 1e9:.9f}") or page.press("Tab") or
                    page.value("document.activeElement.blur()"))
    seen = of_page(page)
    tap.equal((sum(samples for samples, _ in seen.values()), seen),
              (sum(first <= time <= last for time in times), of_perf("--time", time_of(page))),
              "typed from a sample's time to another's, both are included, here as in perf")
    page.settle(lambda: page.press("Escape"))


def frames(page):
    return page.value("[...document.querySelectorAll('.frame')].map((e) => e.frame.name)")


def flame(page):
    tap.equal(sorted(frames(page)), ["[the machine]", "all", "leaf", "middle", "other"],
              "the machine's own frames below main() and below a thread's function are one")
    shown = "[state.tree.weight, state.tree.children[0].children.map((one) => one.weight)]"
    whole = sum(period for _, period in of_perf().values())
    tap.equal(page.value(shown), [whole, [whole]], "their callees have all of it")
    page.press("m")
    tap.equal(sorted(frames(page)), sorted(["all", "leaf", "leaf", "other", *OUTER[0], *OUTER[1][:3]]),
              "m unfolds them")
    page.press("m")
    page.click_at(*page.middle("[...document.querySelectorAll('.frame')]"
                               ".find((e) => e.frame.name === 'leaf')"))
    tap.ok(page.value("[...document.querySelectorAll('.frame')].every("
                      "(e) => e.style.width === '100%')") and "other" not in frames(page) and
           "leaf" in text(page, "#hot-title"), "a click on a frame shows it alone, and its addresses",
           frames(page))
    seen = page.value("addressesOf(recording, state.sums, state.chosen).map("
                      "(one) => [hex(one.address), one.samples])")
    script = run("perf", "script", "-i", DATA, "-F", "ip,sym", "-G").stdout
    ips = collections.Counter(line.split()[0] for line in script.splitlines()
                              if line.split()[1:2] == ["leaf"])
    tap.equal({address: count for address, count in seen},
              {f"0x{ip}": count for ip, count in ips.items()},
              "the hot function's samples by address are those of perf script")
    page.press("Escape")
    page.press("/")
    page.type("oth")
    tap.ok(page.value("[...document.querySelectorAll('.frame.hit')].map((e) => e.frame.name).join()")
           == "other" and "% found" in text(page, "#found"), "matches of the search are marked, with their share",
           text(page, "#found"))
    page.value("document.getElementById('search').value = ''; search('')")
    page.press("Escape")
    page.value("document.getElementById('flame').focus()")
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight"):
        page.press(key)
    tap.ok(text(page, "#frame").startswith("other"), "arrows go from frame to frame", text(page, "#frame"))
    page.press("Enter")
    tap.ok("leaf" not in frames(page), "and Enter shows one alone", frames(page))
    page.press("Escape")


def by_line(page):
    return {line: [count, text] for line, count, text in page.value(
        """[...document.querySelectorAll('#lines tbody tr')].map((row) =>
           [row.cells[2].textContent, Number(row.cells[1].textContent), row.cells[3].textContent])""")}


def sources(page):
    """The lines of the hot function, as addr2line gives them for the same samples."""
    page.value("choose(recording.facts.functions.findIndex((f) => f[0] === 'leaf'))")
    script = run("perf", "script", "-i", DATA, "-F", "ip,sym", "-G").stdout
    ips = collections.Counter(int(line.split()[0], 16) for line in script.splitlines()
                              if line.split()[1:2] == ["leaf"])
    places = list(ips)
    found = run("addr2line", "-e", HERE / "image.elf",
                *(hex(ip - ADDRESS + 0x400000) for ip in places)).stdout.splitlines()
    expected = collections.Counter()
    for ip, line in zip(places, found):
        expected[re.search(r"t\.c:\d+", line).group(0)] += ips[ip]
    seen, text_of = by_line(page), SOURCE.splitlines()
    tap.equal({line: count for line, (count, _) in seen.items() if count}, dict(expected),
              "the hot function's samples by line are those of addr2line")
    tap.equal({line: text for line, (_, text) in seen.items()},
              {line: text_of[int(line.split(":")[1]) - 1] for line in seen},
              "the source's text is beside them")
    shown = dict(page.value("""[...document.querySelectorAll('#addresses tbody tr')].map((row) =>
        [row.cells[2].textContent, row.cells[3].textContent.split(' ')[0]])"""))
    objdump = run("objdump", "-d", "--no-show-raw-insn", "--disassemble=leaf", HERE / "image.sym")
    theirs = {hex(int(at, 16) - 0x400000 + ADDRESS): words for at, words in
              re.findall(r"^ +([0-9a-f]+):\s+(\S+)", objdump.stdout, re.MULTILINE)}
    tap.ok(shown and shown.keys() == theirs.keys() and
           all(shown[at].startswith(theirs[at]) for at in shown),
           "every instruction of it is at its address, sampled or not, as in objdump",
           f"{shown}\n{theirs}")
    time = (HERE / "image.sym").stat().st_mtime + 10
    os.utime(HERE / "t.c", (time, time))
    run(TOOL, "report", "--html", "-o", HERE / "changed.html", DATA)
    page.open(HERE / "changed.html")
    page.value("choose(recording.facts.functions.findIndex((f) => f[0] === 'leaf'))")
    tap.equal(by_line(page), {line: [count, ""] for line, (count, _) in seen.items() if count},
              "of a source that was changed since only the numbers stand")
    page.open(PAGE)


def inlined(page):
    """A function without its own code, because it was inlined: its frame is above the function that
    contains it, and its samples are found by either name."""
    full, data = HERE / "inlined", HERE / "inlined.data"
    (HERE / "i.c").write_text("""static inline __attribute__((always_inline)) int deep(volatile int *p)
{
	return *p * 7;
}
int outer(volatile int *p)
{
	*p += 3;
	return deep(p) + 1;
}
int main(void) { int x = 0; return outer(&x); }
""")
    subprocess.run(["gcc", "-g", "-O2", "-fno-inline", "-no-pie", "-o", full, HERE / "i.c"], check=True)
    objdump = run("objdump", "-d", "--no-show-raw-insn", "--disassemble=outer", full).stdout
    places = [int(at, 16) for at in re.findall(r"^ +([0-9a-f]+):", objdump, re.M)]
    names = [run("addr2line", "-fie", full, hex(place)).stdout.split("\n")[0] for place in places]
    file = perf_file.PerfFile()
    file.image(full, ADDRESS, 0x10000, 0)
    file.command("test")
    for i, place in enumerate(places):
        file.sample(place - 0x400000 + ADDRESS, START + i, period=100)
    file.write(data)
    run(TOOL, "report", "--html", "-o", HERE / "inlined.html", data)
    page.open(HERE / "inlined.html")
    tap.ok({"outer", "deep (inlined)"} <= set(frames(page)), "inlined functions have frames", frames(page))
    for name, wanted in (("outer", places), ("deep (inlined)",
                                             [p for p, n in zip(places, names) if n == "deep"])):
        page.value(f"choose(recording.facts.functions.findIndex((f) => f[0] === '{name}'))")
        rows = page.value("""[...document.querySelectorAll('#addresses tbody tr')].map((row) =>
            [row.cells[2].textContent, row.cells[1].textContent, row.cells[3].textContent !== ''])""")
        tap.equal(rows, [[hex(place - 0x400000 + ADDRESS), "1", True] for place in wanted],
                  f"{name}: all its instructions and no others, with their text and samples")
    page.open(PAGE)


def looks(page):
    tap.equal(page.value("[seconds(3004004369), seconds(812), seconds(12500000), amount(1234567)]"),
              ["3.004 s", "812 ns", "12.50 ms", "1.235 M"], "units are for people")
    tap.equal(text(page, "#legend").split("\n"), ["▼ records lost▬ throttled◆ gap in a trace"],
              "loss, throttling and gaps in a trace are in the time line")
    back = "getComputedStyle(document.body).backgroundColor"
    seen = []
    for scheme in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        seen.append(page.value(back))
    page.click("#theme")
    seen.append(page.value(back))
    tap.equal(seen, ["rgb(255, 255, 255)", "rgb(21, 23, 28)", "rgb(255, 255, 255)"],
              "dark and light as the system has it, and by a button")
    page.call("Emulation.setEmulatedMedia", media="print",
              features=[{"name": "prefers-color-scheme", "value": "dark"}])
    tap.equal(page.value("[getComputedStyle(document.querySelector('.bar')).display,"
                         "getComputedStyle(document.documentElement).getPropertyValue('--text')]"),
              ["none", "#000"], "on paper it is black on white, without buttons")
    page.call("Emulation.setEmulatedMedia", media="", features=[])


def closed(page, claim):
    """The page loads only the file, and the browser reports no error."""
    tap.equal(([url for url in page.requests() if not url.startswith("file:")], page.complaints()),
              ([], []), claim)


def hostile(page):
    places = build("hostile", "leaf", HOSTILE)
    places["leaf"] = places[HOSTILE]
    make(HERE / "hostile.data", "hostile", places, ((HOSTILE, 0, 0), ("<!--<script>", 0, 1)))
    # a file name that would run a script if it were not escaped
    odd = HERE / "<img src=x onerror=alert(2)>"
    (HERE / "hostile.data").rename(odd)
    done = run(TOOL, "report", "--html", "-o", PAGE, odd)
    page.open(PAGE)
    tap.equal(done.returncode, 0, "names of functions, events and files may be HTML")
    tap.ok(HOSTILE in frames(page) and HOSTILE in text(page, "#functions") and
           page.value("document.querySelectorAll('img').length") == 0 and
           "RUNS" != page.value("document.title"), "they are shown as they are, and are none here",
           text(page, "#functions"))
    page.settle(lambda: page.value("""(() => { const e = document.getElementById('event');
        e.value = 1; e.dispatchEvent(new Event('change')); })()"""))
    tap.equal((sum(samples for samples, _ in of_page(page).values()),
               page.value("document.getElementById('event').selectedOptions[0].text")),
              (SAMPLES // 2, "<!--<script>"), "another event is chosen by its name")
    closed(page, "and none of them asks for anything, or runs")
    tap.ok(page.value("""(() => { const s = document.createElement('script');
        try { s.textContent = 'document.title = "RUNS"'; document.body.append(s); } catch (e) {}
        try { document.body.innerHTML = '<b>x'; return false; } catch (e) {}
        return document.title !== 'RUNS'; })()"""), "the page's policy lets no other script in")


def missing(page):
    """A machine whose ring was full, and one that lost no record."""
    rig = fake_run.Rig()
    for scenario, number in (("lossy", 3000), ("complete", 300)):
        rig.command(*rig.words("record", "fake", scenario, number))
        run(TOOL, "report", "--html", "-o", PAGE, rig.out)
        page.open(PAGE)
        said = text(page, "#missing")
        lost = re.search(r"^LOST +(.*)$", run(TOOL, "dump", "-s", rig.out).stdout, re.MULTILINE)
        if scenario == "lossy":
            tap.ok(lost and lost.group(1) in said and "record with -m" in said,
                   "losses come first, in dump's words, with the option that would have kept the records", said)
            tap.ok(page.value("document.querySelector('main').firstElementChild.id") == "missing",
                   "before all else")
        else:
            tap.ok(said.startswith("Nothing is missing") and
                   "300 are in this file" in text(page, "#accounts"),
                   "and where nothing is missing, that", said)


def many(page):
    """Samples without names, all at different high addresses."""
    file = perf_file.PerfFile()
    for i in range(5000):
        file.sample(0xFFFF_FFFF_8100_0000 + 16 * i, START + 1000 * i, period=1 + i)
    file.write(HERE / "many.data")
    run(TOOL, "report", "--html", "-o", PAGE, HERE / "many.data")
    page.open(PAGE)
    page.click("#functions tbody tr")
    tap.equal((text(page, "#hot-title"), page.value("document.querySelectorAll('#addresses tbody tr').length"),
               page.value("document.querySelector('#addresses tbody tr:last-child').cells[2].textContent")),
              ("[unknown] in [unknown]: the 1000 hottest of 5000 addresses", 1000, "0xffffffff81013870"),
              "of thousands of addresses the hottest are shown, to the last bit")


def idle(page):
    """Two CPUs, one of which waits; a waiting function called three of ten samples of the other
    CPU's thread."""
    places, data = build("idle"), HERE / "idle.data"
    file = perf_file.PerfFile(cpus=2)
    file.image(HERE / "idle.sym", ADDRESS, 0x10000, 0)
    for i in range(20):
        waits = i % 2 or i < 6
        chain = [ADDRESS + places[name] + 6 for name in ("middle", "main")]
        file.sample(ADDRESS + places["cpu_idle" if waits else "leaf"], START + 1000 * i, i % 2, 100, chain)
    file.write(data)
    done = run(TOOL, "report", data)
    tap.ok("# Idle: 65.00% of that" in done.stdout and "65.00%  :1" not in done.stdout and
           sum(float(share) for share in re.findall(r"^ +([\d.]+)%", done.stdout, re.M)) == 100,
           "the idle share is reported above the lines, and they are perf's", done.stdout)
    done = run(TOOL, "report", "--modules", data)
    tap.ok(re.search(r" 700 +35.00% +7  idle.sym\n +700 +35.00% +7    leaf\n +700 +35.00% +7  \[work\]", done.stdout)
           and re.search(r"1300 +65.00% +13    middle in cpu_idle\(\)\n +1300 +65.00% +13  \[waiting\]", done.stdout),
           "--modules counts it as the caller's waiting", done.stdout)
    run(TOOL, "report", "--html", "-o", HERE / "idle.html", data)
    page.open(HERE / "idle.html")
    grey = page.value("[...document.querySelectorAll('.frame.idle')].map((e) => e.frame.name)")
    tap.ok(grey == ["cpu_idle"] and text(page, "#status").endswith(", 65.00 % of it idle"),
           "on the page it is grey, and its share is reported", (grey, text(page, "#status")))
    tap.ok("cpu_idle" in frames(page), "as a frame like others", frames(page))
    page.open(PAGE)
    tap.ok("idle" not in text(page, "#status"), "where there is none, nothing is said of it", text(page, "#status"))


def refusals():
    done = run(TOOL, "report", "--html", "-o", DATA, DATA)
    tap.ok(done.returncode == 1 and "is the recording itself" in done.stderr,
           "the recording is not written over by its page", done.stderr)
    done = run(TOOL, "report", "-o", PAGE, DATA)
    tap.ok(done.returncode == 2 and "needs --html" in done.stderr, "-o without --html is a mistake",
           done.stderr)
    for words, why in ((("--no-inline",), "needs --html"), (("--modules", "--html"), "be combined with --html"),
                       (("--html", "-n"), "-n cannot be combined"), (("--html", "--percent-limit", "1"), "cannot be combined"),
                       (("--modules", "--sort", "cpu"), "--sort is of the table"),
                       (("--modules", "-n"), "without --modules"), (("--modules", "-t", ","), "without --modules")):
        done = run(TOOL, "report", *words, DATA)
        tap.ok(done.returncode == 2 and why in done.stderr and not done.stdout,
               f"nothing is ignored: {' '.join(words)}", (done.stdout[:500], done.stderr))
    done = run(TOOL, "report", "--html", "-e", "nothing", DATA)
    tap.ok(done.returncode == 1 and "no event nothing" in done.stderr, "an event must be there",
           done.stderr)


def main():
    make(DATA, "image", build("image"), (("cycles", perf_file.HARDWARE, 0),))
    refusals()
    if not browsers.program():
        tap.skip("the page in a browser", "there is no chromium here: make deps")
        tap.finish()
    done = run(TOOL, "report", "--html", "-o", PAGE, DATA)
    tap.equal((done.returncode, done.stderr), (0, ""), "a page is made of stock perf's file as well")
    with browsers.Browser() as page:
        page.open(PAGE)
        for part in (selections, bars, typed, flame, sources, inlined, idle, looks):
            part(page)
        closed(page, "the page asks for nothing from anywhere, and nothing goes wrong in it")
        hostile(page)
        missing(page)
        many(page)
    tap.finish()


if __name__ == "__main__":
    main()
