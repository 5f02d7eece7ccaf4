/* SPDX-License-Identifier: MIT */
#include "agent/serial.h"

#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/panic.h"
#include "lib/pci/pci.h"
#include "lib/platform.h"
#include "pmu/clock/clock.h"

static struct channel *pumped; /* the channel whose lines send the console's text, or NULL */
static bool beside_firmware;   /* hosted mode: the firmware keeps the console's UART */

void serial_choose(struct channel *channel, bool resident, bool hosted)
{
	beside_firmware = hosted;
	if (resident && !hosted)
		channel->lines = NULL;
}

void serial_end(struct channel *channel)
{
	pumped = NULL;
	panic_set_end(NULL);
	if (!channel->lines)
		return;
	if (efi_boot_services) /* in ExitBootServices() no service may be called */
		lines_release(channel->lines, pci_release);
	channel->lines = NULL;
}

void serial_drain(struct channel *channel)
{
	if (channel && channel->lines)
		lines_drain(channel->lines);
}

/* A console sink. The lines read the text themselves; this only gives them a turn to send it. */
static void serial_kick_lines(const char *text, size_t length)
{
	(void)text;
	(void)length;
	if (pumped)
		channel_pump(pumped);
}

static void serial_end_in_panic(void)
{
	lines_panic(pumped->lines);
}

static void serial_describe_line(const struct line_port *port)
{
	const struct uart *uart = &port->uart;
	uint32_t rate = lines_rate_by_ticks(port);

	console_printf("line: %s at %s0x%lx, ", uart->ops->name, uart->in_memory ? "" : "port ",
	               uart->address);
	if (uart->baud)
		console_printf("%u baud, ", uart->baud);
	else
		console_printf("baud rate unchanged, ");
	console_printf("%u-byte FIFO, by ticks: %s%u B/s\n", uart->fifo,
	               uart->baud ? "" : "at most ", rate);
}

/* In hosted mode keep only the lines that the firmware does not use. Returns them, or NULL. */
static struct lines *serial_claim(struct channel *channel)
{
	if (beside_firmware && channel->lines)
		lines_claim(channel->lines, pci_claim);
	if (beside_firmware && !serial_is_there(channel))
		channel->lines = NULL;
	return channel->lines;
}

/* The addresses of the host's words are fixed here; later changes of the region's header do not
 * move them. */
void serial_start(struct channel *channel, const struct trace_region *region, uint64_t nonce)
{
	struct lines *lines = serial_claim(channel);
	uint8_t *memory = channel->memory;
	uint64_t text_at;

	if (!lines)
		return;
	pumped = channel;
	lines->region = (struct line_region){
		.memory = memory,
		.size = channel->size,
		.address = channel->address,
		.nonce = nonce,
		.machine = arch_elf_machine(),
		.mailbox = (uint64_t)((uint8_t *)region->mailbox - memory),
		.doorbells = (uint64_t)((uint8_t *)region->doorbells - memory),
		.console = (uint64_t)((uint8_t *)region->console - memory),
		.streams = (uint64_t)((uint8_t *)region->streams - memory),
	};
	console_read(&text_at, NULL, 0);
	lines_start(lines, beside_firmware ? NULL : console_take_uart(), clock_steady, console_read,
	            text_at);
	console_add_sink(serial_kick_lines);
	panic_set_end(serial_end_in_panic);
	for (unsigned i = 0; i < lines->nr_ports; i++)
		serial_describe_line(&lines->ports[i]);
}
