/* SPDX-License-Identifier: MIT */
/* The machine's description by the firmware's tables; arch/arch.h includes this header. */
#ifndef ARCH_PLATFORM_H
#define ARCH_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of UARTs: SPCR's interface types, which are the serial subtypes of DBG2 (Microsoft, "Debug
 * Port Table 2"); kinds from 0x10000 on are named by device trees only. */
enum arch_uart_type {
	ARCH_UART_16550 = 0x00,
	ARCH_UART_16450 = 0x01,
	ARCH_UART_PL011 = 0x03,
	ARCH_UART_MSM8X60 = 0x04, /* UARTDM 1.3 */
	ARCH_UART_TEGRA = 0x05,
	ARCH_UART_MSM8974 = 0x09, /* UARTDM 1.4 */
	ARCH_UART_IMX = 0x0c,
	ARCH_UART_SBSA_32 = 0x0d,
	ARCH_UART_SBSA = 0x0e,
	ARCH_UART_BCM2835_AUX = 0x10,
	ARCH_UART_SDM845 = 0x11, /* GENI, its clock at 1.8432 MHz */
	ARCH_UART_16550_GAS = 0x12,
	ARCH_UART_SDM845_7372 = 0x13, /* clocked at 7.372 MHz */
	ARCH_UART_MEDIATEK = 0x10000,
	ARCH_UART_MESON,
	ARCH_UART_CADENCE,
	ARCH_UART_SCIF,
};

/* The UART's place and register layout; from ACPI's SPCR or DBG2, or the device tree's
 * stdout-path. */
struct arch_uart_hint {
	uint32_t interface_type; /* enum arch_uart_type, or another of SPCR's types */
	uint8_t space;           /* ACPI generic address space: 0 memory, 1 I/O port */
	uint8_t access_size;     /* ACPI generic address: bytes per access, 0 unknown */
	uint8_t reg_shift;
	uint64_t address;
	uint32_t clock; /* Hz; 0 unknown */
	uint32_t baud;  /* rate set by the firmware; 0 unknown */
};

#define ARCH_MAX_CPUS        256
#define ARCH_MAX_IOAPICS     16
#define ARCH_MAX_GICR_AREAS  256
#define ARCH_MAX_ECAMS       16
#define ARCH_MAX_WINDOWS     64
#define ARCH_MAX_RESERVED    64
#define ARCH_MAX_OTHER_UARTS 8

/* The kind of tables that described the machine. */
enum arch_tables { ARCH_TABLES_NONE, ARCH_TABLES_ACPI, ARCH_TABLES_DEVICETREE };

struct arch_platform_cpu {
	uint64_t hw_id;         /* APIC id; MPIDR_EL1 affinity */
	uint32_t pmu_interrupt; /* GSIV: a PPI, or an SPI for this CPU alone */
	bool pmu_edge;          /* that SPI is edge-triggered */
};

/* One step of restarting a watchdog's time: a register is read, or a value is written to some of
 * its bits. */
#define ARCH_MAX_WATCHDOG_STEPS 8U
struct arch_watchdog_step {
	uint64_t address;
	bool io; /* an I/O port, else memory */
	bool write;
	bool keep; /* keep the register's other bits */
	uint8_t bytes, shift;
	uint32_t value, mask; /* value and mask before the shift */
};

/* The one description of this machine for all ISAs: filled from ACPI's tables (lib/acpi/acpi.c) or
 * the device tree (lib/devicetree/). lib/platform_check.h has removed impossible addresses.
 * Bounded, but not verified against the hardware. 0 means "not there", unless a comment says
 * otherwise. */
struct arch_platform {
	enum arch_tables tables;
	unsigned cpu_count; /* usable CPUs */
	/* after platform_init() the boot CPU is first, the others follow in the tables' order */
	struct arch_platform_cpu cpus[ARCH_MAX_CPUS];
	bool has_uart;
	struct arch_uart_hint uart;
	unsigned other_uart_count; /* used in this order if the first fails */
	struct arch_uart_hint other_uarts[ARCH_MAX_OTHER_UARTS];
	uint64_t
	    low_memory; /* two zeroed pages of bareperf below 1 MiB, where x86's other CPUs start */

	uint64_t pm_timer;      /* ACPI PM timer, 3.579545 MHz (ACPI 6.5, 4.8.3.3) */
	uint8_t pm_timer_space; /* 0 memory, 1 I/O port */
	uint8_t pm_timer_bits;  /* 24 or 32 */
	uint64_t hpet;          /* address of its registers, 0: none */
	unsigned ioapic_count;
	uint64_t ioapics[ARCH_MAX_IOAPICS];
	unsigned ecam_count; /* PCI Express configuration space in memory */
	struct {
		uint64_t address; /* address of bus 0, even if the area begins at a later bus */
		uint16_t segment;
		uint8_t first_bus, last_bus;
	} ecams[ARCH_MAX_ECAMS];
	unsigned window_count; /* address windows of PCI devices, as the CPUs see them */
	struct arch_pci_window {
		uint64_t bus_address, address, size;
		uint16_t segment;
		bool io; /* I/O ports, else memory */
	} windows[ARCH_MAX_WINDOWS];

	uint8_t gic_version;  /* GICD structure: 0 unknown, 1..4 */
	uint64_t gicd;        /* distributor */
	uint64_t gicc;        /* GICv2 CPU interface, of the first CPU */
	unsigned gicr_count;  /* redistributor areas: GICR structures, else each GICC's own */
	uint64_t gicr_stride; /* distance from CPU to CPU; 0: the frames give it */
	struct {
		uint64_t address;
		uint64_t size; /* 0: one CPU's frames, from a GICC structure */
	} gicr[ARCH_MAX_GICR_AREAS];
	uint64_t gic_its;
	uint32_t spe_interrupt;           /* GSIV, of the first CPU */
	uint32_t timer_el1_interrupt;     /* non-secure EL1 physical */
	uint32_t timer_virtual_interrupt; /* virtual */
	uint32_t timer_el2_interrupt;     /* EL2 physical */
	uint32_t timer_frequency;         /* Hz, preferred to CNTFRQ_EL0 */
	bool psci;                        /* the machine has PSCI */
	bool psci_hvc;                    /* by HVC; false: by SMC */
	bool is_qemu;                     /* the tables are QEMU's */
	bool is_apple;                    /* SMBIOS names Apple's Virtualization.framework */

	/* RAM that must not be touched, even if the firmware's memory map allows it */
	unsigned reserved_count;
	struct {
		uint64_t address, size;
	} reserved[ARCH_MAX_RESERVED];

	const char *watchdog;     /* the table that describes one; or NULL */
	bool watchdog_is_enabled; /* that table says the watchdog is used; it may still not count */
	/* A register whose bits have this step's value while the watchdog counts; bytes 0: not
	 * known. */
	struct arch_watchdog_step watchdog_state;
	unsigned watchdog_step_count; /* 0: it is not known how to restart its time */
	struct arch_watchdog_step watchdog_steps[ARCH_MAX_WATCHDOG_STEPS];
};

#endif
