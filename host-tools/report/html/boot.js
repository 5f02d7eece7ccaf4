/* SPDX-License-Identifier: MIT */
/* A recorded boot: `bareperf report --boot --json`, as tables. */

const BOOT_ROWS = 10;

/* Format a weight of the boot: ns, or a counter's count. */
function bootWeight(boot, weight) {
	return boot.unit === "ns" ? seconds(weight) : amount(weight);
}

/* Get the lines about the time before the first sample. */
function beforeOf({ before, first_ns }) {
	const lines = before.sources.filter((one) => one.times.length).map(({ source, times }) => {
		const sorted = [...times].sort((a, b) => a.ns - b.ns);
		return `${source}: ${sorted.map((one) => `${seconds(one.ns)} ${one.what}`).join(", ")}`;
	});
	const absent = before.sources.filter((one) => !one.times.length)
		.map(({ source, error }) => error ? `${source} (${error})` : source);

	if (before.counter_ns !== null)
		lines.unshift(`The first sample was taken ${seconds(before.counter_ns + first_ns)} ` +
			"after the CPU's counter was 0, as after a reset.");
	if (absent.length)
		lines.push(`No times of: ${absent.join(", ")}`);
	return lines;
}

/* Draw rows with their shares; columns: [[title, kind, text of a row]]. */
function drawBootRows(table, boot, rows, columns) {
	const whole = boot.work + boot.waiting;

	head(table, [["Share", "number"], ["Time", "number"], ...columns, ["", "share"]]);
	table.tBodies[0].replaceChildren(...rows.slice(0, BOOT_ROWS).map((one) => {
		const weight = one.work + one.waiting;
		return row(cell(percent(weight, whole), "number"), cell(bootWeight(boot, weight), "number"),
			...columns.map(([, kind, text]) => cell(text(one), kind)), bar(weight, whole));
	}));
}

function drawBoot(section, boot) {
	const name = ["Function", "name", (one) => `${one.module} ${one.function ?? "[no name]"}`];

	section.hidden = !boot;
	if (!boot)
		return;
	document.getElementById("boot-facts").replaceChildren(...[
		`${bootWeight(boot, boot.work)} of work, ${bootWeight(boot, boot.waiting)} of waiting`,
		...beforeOf(boot), `Ledger: ${boot.ledger.text}`,
	].map((text) => {
		const item = document.createElement("li");
		item.textContent = text;
		return item;
	}));
	drawBootRows(document.getElementById("boot-phases"), boot, boot.phases, [
		["Waiting", "number", (one) => bootWeight(boot, one.waiting)],
		["Begins", "number", (one) => seconds(one.first_ns)], ["Phase", "name", (one) => one.phase],
	]);
	drawBootRows(document.getElementById("boot-waits"), boot, boot.waits, [
		["From", "number", (one) => seconds(one.first_ns)], ["To", "number", (one) => seconds(one.last_ns)],
		name, ["Waits in", "name", (one) => one.in], ["Device", "name", (one) => one.devices.join(" or ")],
	]);
	drawBootRows(document.getElementById("boot-functions"), boot, boot.functions, [name]);
}
