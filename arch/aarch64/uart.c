/* SPDX-License-Identifier: MIT */
/*
 * The console: PL011 (DDI 0183) and its subset, the SBSA generic UART; or a 16550 in memory. As
 * the firmware set it up: nobody but it knows the clock.
 */
#include "arch/aarch64/uart.h"

#include <errno.h>

#include "arch/arch.h"

/* SPCR, interface types (Microsoft's DBG2 table, "Debug port subtypes") */
#define UART_16550     0x00
#define UART_PL011     0x03
#define UART_SBSA_32   0x0d
#define UART_SBSA      0x0e
#define UART_16550_GAS 0x12
#define SPACE_MEMORY   0

#define PL011_DR        0x00
#define PL011_FR        0x18
#define PL011_FR_TXFF   (1U << 5)
#define UART_16550_THR  0
#define UART_16550_LSR  5
#define UART_16550_THRE (1U << 5)

/* At 115200 baud a byte takes 87 us; a port that stays full longer than this is not there. */
#define POLLS 100000U

static struct {
	volatile uint8_t *base;
	bool pl011;
	uint8_t access; /* bytes */
	uint8_t shift;  /* from register number to offset, 16550 */
} uart;

static uint32_t uart_get(unsigned offset)
{
	if (uart.access == 1)
		return uart.base[offset];
	return *(volatile uint32_t *)(uart.base + offset);
}

static void uart_put(unsigned offset, uint32_t value)
{
	if (uart.access == 1)
		uart.base[offset] = (uint8_t)value;
	else
		*(volatile uint32_t *)(uart.base + offset) = value;
}

uint64_t arm_uart_address(void)
{
	return (uint64_t)uart.base;
}

int arch_uart_init(const struct arch_uart_hint *hint)
{
	if (!hint || hint->space != SPACE_MEMORY || !hint->address)
		return -ENODEV;
	switch (hint->interface_type) {
	case UART_PL011:
	case UART_SBSA_32:
	case UART_SBSA:
		uart.pl011 = true;
		uart.access = 4;
		break;
	case UART_16550:
	case UART_16550_GAS:
		uart.pl011 = false;
		uart.access = hint->access_size == 4 ? 4 : 1;
		uart.shift = hint->reg_shift ? hint->reg_shift : uart.access == 4 ? 2 : 0;
		break;
	default:
		return -ENODEV;
	}
	uart.base = (volatile uint8_t *)hint->address;
	return 0;
}

static bool has_room(void)
{
	if (uart.pl011)
		return !(uart_get(PL011_FR) & PL011_FR_TXFF);
	return uart_get(UART_16550_LSR << uart.shift) & UART_16550_THRE;
}

void arch_uart_putc(char c)
{
	if (!uart.base)
		return;
	for (unsigned i = 0; i < POLLS && !has_room(); i++)
		arch_relax();
	uart_put(uart.pl011 ? PL011_DR : UART_16550_THR << uart.shift, (uint8_t)c);
}
