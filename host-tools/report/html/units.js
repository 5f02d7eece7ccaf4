/* SPDX-License-Identifier: MIT */
/* Formats numbers for readers. */

/* Format with at most four significant digits: 3.004, 12.5, 812. */
function digits(value) {
	return String(Number(value.toPrecision(4)));
}

function seconds(ns) {
	const steps = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
	const step = steps.find(([size]) => Math.abs(ns) >= size);

	return step ? `${fixed(ns / step[0])} ${step[1]}` : `${digits(ns)} ns`;
}

/* Format with four digits, including zeros at the end: 3.000 beside 3.004. */
function fixed(value) {
	const whole = String(Math.trunc(Math.abs(value))).length;

	return value.toFixed(Math.max(0, 4 - whole));
}

function amount(value) {
	const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]];
	const step = steps.find(([size]) => value >= size);

	if (!step)
		return digits(value);
	return `${fixed(value / (step[1] === "k" ? 1e3 : step[0]))} ${step[1]}`;
}

function percent(part, whole) {
	return whole ? `${(100 * part / whole).toFixed(2)} %` : "";
}

/* Format an event's weight; the clock's event has time as its weight. */
function weightText(event, weight) {
	return event.clock ? seconds(weight) : amount(weight);
}

/* Format an address. Addresses are signed numbers, since they were decoded from signed differences.
 */
function hex(address) {
	return "0x" + BigInt.asUintN(64, BigInt(address)).toString(16);
}

/* Format a time as for perf's --time: the machine's clock, in seconds. */
function perfTime(ns) {
	const text = ns.toString().padStart(10, "0");

	return `${text.slice(0, -9)}.${text.slice(-9)}`;
}
