# SPDX-License-Identifier: MIT
"""Real system management interrupts of known length on QEMU's q35: a snippet writes a handler to the
place where the CPU enters SMM, and lets writes to the port of APM raise the interrupt."""

ENTRY = 0x38000  # SMBASE after a reset, 30000H, and 8000H: SDM volume 3C, 31.4
LOOPS = 1000
# the handler: mov cx, LOOPS; 1: dec cx; jnz 1b; rsm
HANDLER = bytes([0xB9, LOOPS & 0xFF, LOOPS >> 8, 0x49, 0x75, 0xFD, 0x0F, 0xAA])
INSTRUCTIONS = 2 * LOOPS + 2

# PMBASE is in the PCI configuration space of the ICH9's LPC bridge (00:1f.0, 40H). SMI_EN is the
# register 30H there: bit 0 enables SMIs, bit 5 those of APM.
PREPARE = (f"mov rax, {int.from_bytes(HANDLER, 'little'):#x}; mov [{ENTRY:#x}], rax; "
           "mov eax, 0x8000f840; mov dx, 0xcf8; out dx, eax; mov dx, 0xcfc; in eax, dx; and eax, 0xff80; "
           "lea edx, [rax+0x30]; in eax, dx; or eax, 0x21; out dx, eax")
RAISE = "mov al, 0x10; out 0xb2, al"  # two instructions

# The TCO timer raises one each time it expires; a tick of it is 0.6 s. Ports of TCO begin at
# PMBASE + 60H: TCO_TMR is 12H, TCO1_CNT 8 (its bit 11 halts the timer), TCO_RLD 0.
TIMER = (f"{PREPARE}; or eax, 0x2000; out dx, eax; add edx, 0x42; mov ax, 4; out dx, ax; "
         "sub edx, 0xa; xor eax, eax; out dx, ax; sub edx, 8; mov ax, 1; out dx, ax")
