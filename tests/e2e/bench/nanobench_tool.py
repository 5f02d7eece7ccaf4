# SPDX-License-Identifier: MIT
"""A program as nanoBench's users write them: it imports the module by its name, with a star, and uses
its documented interface alone. It prints what it got."""

import sys

from kernelNanoBench import *

resetNanoBench()
setNanoBenchParameters(config="C0.00 INST\nC4.00 BRANCH\n", nMeasurements=3, unrollCount=10, warmUpCount=1,
                       loopCount=0, aggregateFunction="med", basicMode=False)
print(dict(runNanoBench(code="add RAX, RBX; add RBX, RAX")))
setNanoBenchParameters(range=True)
print(dict(runNanoBench(code="jmp 1f; 1: nop")))
setNanoBenchParameters(range=False, noNormalization=True)
print(dict(runNanoBench(code="nop")))

# pointers that are chased, once initialized, with the loads of an excluded part not counted
addresses = [0, 4096, 8192]
init = "".join(f"lea RAX, [R14+{one}]; lea RBX, [R14+{two}]; mov [RAX], RBX; "
               for one, two in zip(addresses, addresses[1:]))
setNanoBenchParameters(unrollCount=1, noMem=True, basicMode=True, noNormalization=False)
chase = f"mov RCX, [R14+{addresses[0]}]; mov RCX, [RCX]; "
print(max(addresses) < getR14Size(), getAddress("r14").startswith("0x"),
      dict(runNanoBench(code=f"{PFC_STOP_ASM}; {chase}; {PFC_START_ASM}; {chase}", oneTimeInit=init)))

assemble("nop; nop; nop", sys.argv[1] + "/three.o")
objcopy(sys.argv[1] + "/three.o", sys.argv[1] + "/three.bin")
resetNanoBench()
setNanoBenchParameters(configFile=sys.argv[1] + "/cfg.txt", fixedCounters=True)
print(dict(runNanoBench(codeObjFile=sys.argv[1] + "/three.o")))
print(dict(runNanoBench(codeBinFile=sys.argv[1] + "/three.bin", initBinFile=sys.argv[1] + "/three.bin")))
for wrong in (lambda: runNanoBench(code="nop", codeObjFile="three.o"), lambda: getAddress("RAX"),
              lambda: setNanoBenchParameters(aggregateFunction="mode")):
    try:
        wrong()
    except ValueError as error:
        print(type(error).__name__)

# cycle by cycle, as nanoBench's cycleByCycle.py asks for it
resetNanoBench()
setNanoBenchParameters(basicMode=True, drainFrontend=True)
setNanoBenchParameters(config="C0.00 INST_RETIRED\nC4.20 TAKEN_RETIRED\n", unrollCount=1, aggregateFunction="med",
                       nMeasurements=3, endToEnd=True)
seen = runNanoBenchCycleByCycle(code="nop; jmp 1f; 1: nop", codeBinFile=None, init=None, initBinFile=None)
print({name: (values[-1], least, most) for name, (values, least, most) in seen.items()}, len(seen["INST_RETIRED"][0]))
setNanoBenchParameters(range=True)
seen = runNanoBenchCycleByCycle(code="nop; jmp 1f; 1: nop")["INST_RETIRED"]
print(seen[0] == seen[1] == seen[2] == sorted(seen[0]))
setNanoBenchParameters(range=False, endToEnd=False)
print(runNanoBenchCycleByCycle(code="nop"))
print(dict(runNanoBench(code="mov RAX, [R14]; nop", init="nop", detP23=True)))
runNanoBench(code="ud2")
