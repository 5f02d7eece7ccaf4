/* SPDX-License-Identifier: MIT */
/* A 16550 UART at I/O ports or in device memory. National Semiconductor PC16550D, 8.0. */
#include <errno.h>

#include "arch/x86_64/cpu.h"

#define UART_THR 0 /* transmitter; divisor's low byte while DLAB */
#define UART_IER 1 /* interrupts; divisor's high byte while DLAB */
#define UART_FCR 2
#define UART_LCR 3
#define UART_MCR 4
#define UART_LSR 5
#define UART_SCR 7
#define LCR_8N1  0x03
#define LCR_DLAB 0x80
#define LSR_THRE 0x20

#define COM1      0x3f8
#define MAX_POLLS 20000U /* a byte takes 87 us at 115200 baud, a poll about 1 us */

static struct {
	bool found, stuck, memory;
	uint8_t access_size, reg_shift;
	uint64_t address;
} uart;

static volatile void *reg_address(unsigned reg)
{
	return (volatile void *)(uart.address + (reg << uart.reg_shift));
}

static uint8_t read_reg(unsigned reg)
{
	if (!uart.memory)
		return inb((uint16_t)(uart.address + reg));
	if (uart.access_size == 4)
		return (uint8_t) * (volatile uint32_t *)reg_address(reg);
	return *(volatile uint8_t *)reg_address(reg);
}

static void write_reg(unsigned reg, uint8_t value)
{
	if (!uart.memory)
		outb((uint16_t)(uart.address + reg), value);
	else if (uart.access_size == 4)
		*(volatile uint32_t *)reg_address(reg) = value;
	else
		*(volatile uint8_t *)reg_address(reg) = value;
}

/* The scratch register keeps what it is given; a port without a UART reads FFH. */
static bool uart_answers(void)
{
	uint8_t before = read_reg(UART_SCR);
	bool kept;

	write_reg(UART_SCR, 0x5a);
	kept = read_reg(UART_SCR) == 0x5a;
	write_reg(UART_SCR, before);
	return kept && read_reg(UART_LSR) != 0xff;
}

/* 115200 8N1, FIFO on, no interrupts: for a UART that no firmware has set up. */
static void set_line(void)
{
	write_reg(UART_IER, 0);
	write_reg(UART_LCR, LCR_8N1 | LCR_DLAB);
	write_reg(UART_THR, 1);
	write_reg(UART_IER, 0);
	write_reg(UART_LCR, LCR_8N1);
	write_reg(UART_FCR, 0x07);
	write_reg(UART_MCR, 0x03);
}

static bool is_16550(uint8_t interface_type)
{
	return interface_type == 0 || interface_type == 1 || interface_type == 0x12;
}

int arch_uart_init(const struct arch_uart_hint *hint)
{
	uart.found = uart.stuck = false;
	if (hint != NULL && is_16550(hint->interface_type)) {
		uart.memory = hint->space == 0;
		uart.access_size = hint->access_size;
		uart.reg_shift = hint->reg_shift;
		uart.address = hint->address;
		uart.found = uart_answers(); /* its line is as the firmware's console set it */
		if (uart.found)
			return 0;
	}
	uart.memory = false;
	uart.address = COM1;
	uart.found = uart_answers();
	if (!uart.found)
		return -ENODEV;
	set_line();
	return 0;
}

/* A line that does not move costs MAX_POLLS once; until it moves again its bytes are dropped. */
void arch_uart_putc(char c)
{
	unsigned polls = uart.stuck ? 1 : MAX_POLLS;

	if (!uart.found)
		return;
	while (polls > 0 && !(read_reg(UART_LSR) & LSR_THRE))
		polls--;
	uart.stuck = polls == 0;
	if (!uart.stuck)
		write_reg(UART_THR, (uint8_t)c);
}
