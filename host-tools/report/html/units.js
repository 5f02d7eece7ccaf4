/* SPDX-License-Identifier: MIT */
/* Numbers for people. */

/* Four digits that count: 3.004, 12.5, 812. */
function digits(value) {
	return String(Number(value.toPrecision(4)));
}

function seconds(ns) {
	const steps = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];
	const step = steps.find(([size]) => Math.abs(ns) >= size);

	return step ? `${fixed(ns / step[0])} ${step[1]}` : `${digits(ns)} ns`;
}

/* Four digits, zeros behind the point among them: 3.000 beside 3.004. */
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

/* A weight of an event: of the clock it is time. */
function weightText(event, weight) {
	return event.clock ? seconds(weight) : amount(weight);
}

/* Addresses are numbers from -2^63 on, as their differences came. */
function hex(address) {
	return "0x" + BigInt.asUintN(64, BigInt(address)).toString(16);
}

/* As perf's --time has it: the machine's clock, in seconds. */
function perfTime(ns) {
	const text = ns.toString().padStart(10, "0");

	return `${text.slice(0, -9)}.${text.slice(-9)}`;
}
