/* SPDX-License-Identifier: MIT */
/* Finds the UARTs that serve as lines. */
#include "channel/channel.h"
#include "channel/lines.h"

#define SERIAL_CARD 0x0700U /* PCI code and ID assignment: serial controllers */
#define BAR_IS_IO   1U

static bool lines_know(const struct lines *lines, const struct uart *uart)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		const struct uart *known = &lines->ports[i].uart;

		if (known->ops && known->address == uart->address &&
		    known->in_memory == uart->in_memory)
			return true;
	}
	return false;
}

void lines_add(struct lines *lines, const struct uart *uart)
{
	if (lines->nr_ports < LINES_MAX && !lines_know(lines, uart))
		lines->ports[lines->nr_ports++].uart = *uart;
}

/* Adds the card's first port. On an ISA without I/O space, PCI's I/O space is mapped in memory, and
 * the BARs give the addresses there. */
static void find_card(struct lines *lines, const struct channel_services *services, void *card)
{
	bool io = services->pci_read(card, 0x10, 4) & BAR_IS_IO;
	uint64_t address, size;
	struct uart uart;

	if ((io ? services->pci_enable_io(card) : services->pci_enable_memory(card)) ||
	    services->pci_bar(card, 0, &address, &size) || !address || size < 8)
		return;
	if (!io || address > UINT16_MAX) {
		uart_describe_16550(&uart, address, true, 1, 0);
		if (io) /* the same clock as in a PC, although this CPU maps I/O ports in memory */
			uart.clock = UART_16550_CLOCK;
		if (services->map(address, size, ARCH_MAP_DEVICE))
			return;
	} else {
		uart_describe_16550(&uart, address, false, 1, 0);
	}
	if (!lines_know(lines, &uart)) {
		lines_add(lines, &uart);
		lines->ports[lines->nr_ports - 1].card = card;
	}
}

void lines_claim(struct lines *lines, bool (*claim)(void *card))
{
	unsigned kept = 0;

	for (unsigned i = 0; i < lines->nr_ports; i++) {
		if (claim(lines->ports[i].card))
			lines->ports[kept++] = lines->ports[i];
	}
	lines->nr_ports = kept;
}

void lines_release(struct lines *lines, void (*release)(void *card))
{
	while (lines->nr_ports > 0)
		release(lines->ports[--lines->nr_ports].card);
}

void lines_find(struct lines *lines, const struct channel_services *services)
{
	void *card;

	/* reserves one place for the console's port */
	for (unsigned i = 0;
	     lines->nr_ports < LINES_MAX - 1 && (card = services->pci_find_class(SERIAL_CARD, i));
	     i++)
		find_card(lines, services, card);
}
