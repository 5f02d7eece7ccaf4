/* SPDX-License-Identifier: MIT */
/* Tables: functions by their share, a function's addresses, and the page's texts. */

const MOST_ROWS = 100; /* of functions, until the user asks for all */
const MOST_ADDRESSES = 1000; /* of a function */

function cell(text, kind = "") {
	const element = document.createElement("td");

	element.className = kind;
	element.textContent = text;
	return element;
}

/* Draw a share as a bar. */
function bar(part, whole) {
	const element = cell("", "share"), inner = document.createElement("div");

	inner.style.width = `${whole ? 100 * part / whole : 0}%`;
	element.append(inner);
	return element;
}

function row(...cells) {
	const element = document.createElement("tr");

	element.append(...cells);
	return element;
}

/* Build a table's header from columns of [text, kind]. sort(number), if given, is called by a click
 * on a column. */
function head(table, columns, sort, sorted) {
	const cells = columns.map(([text, kind], i) => {
		const element = document.createElement("th"), button = document.createElement("button");
		element.className = kind;
		if (!sort) {
			element.textContent = text;
			return element;
		}
		button.textContent = text;
		button.addEventListener("click", () => sort(i));
		if (i === sorted)
			element.setAttribute("aria-sort", "descending");
		element.append(button);
		return element;
	});

	table.tHead.replaceChildren(row(...cells));
}

/* Get [{number, name, file, own, total, samples}] of the functions that occur in the sums. If fold
 * is set, bareperf's own functions do not get the weight of their callees. */
function functionsOf(recording, sums, fold) {
	const { parents, functions, nodes, nodeCount, inner, machine } = recording.places;
	const totals = new Float64Array(nodeCount);
	const list = recording.facts.functions.map(([name, file], number) => ({
		number, name: name ?? "[unknown]", file: file ?? "[unknown]", own: 0, total: 0, samples: 0,
	}));

	for (let place = 0; place < nodes.length; place++) {
		const one = list[functions[nodes[place]]];
		totals[nodes[place]] += sums.weights[place];
		one.own += sums.weights[place];
		one.total += fold && machine[nodes[place]] ? sums.weights[place] : 0;
		one.samples += sums.samples[place];
	}
	for (let node = nodeCount - 1; node >= 0; node--) {
		if (parents[node] >= 0)
			totals[parents[node]] += totals[node];
		if (!inner[node] && !(fold && machine[node]))
			list[functions[node]].total += totals[node];
	}
	return list.filter((one) => one.total || one.samples);
}

/* The weight in functions in which CPUs are idle. */
function idleOf(recording, sums) {
	const { functions, nodes } = recording.places;
	const idle = recording.facts.functions.map((one) => one[2]);

	return sums.weights.reduce((sum, weight, place) =>
		sum + (idle[functions[nodes[place]]] ? weight : 0), 0);
}

const FUNCTION_COLUMNS = [["Self", "number"], ["Total", "number"], ["Samples", "number"],
	["Function", "name"], ["File", ""], ["", "share"]];
const FUNCTION_ORDERS = [
	(a, b) => b.own - a.own || b.total - a.total, (a, b) => b.total - a.total || b.own - a.own,
	(a, b) => b.samples - a.samples, byName, (a, b) => a.file < b.file ? -1 : Number(a.file > b.file),
	(a, b) => b.own - a.own,
];

/* Draw the table of functions. choose(function) is called by a click on a row, or Enter. */
function drawFunctions(table, list, { sums, sorted, search, most, chosen }, sort, choose) {
	const shown = list.filter((one) => one.name.toLowerCase().includes(search.toLowerCase()));

	head(table, FUNCTION_COLUMNS, sort, sorted);
	shown.sort(FUNCTION_ORDERS[sorted]);
	table.tBodies[0].replaceChildren(...shown.slice(0, most).map((one) => {
		const element = row(cell(percent(one.own, sums.total), "number"),
			cell(percent(one.total, sums.total), "number"), cell(String(one.samples), "number"),
			cell(one.name, "name"), cell(one.file), bar(one.own, sums.total));
		element.className = one.number === chosen ? "link on" : "link";
		element.tabIndex = 0;
		element.addEventListener("click", () => choose(one));
		element.addEventListener("keydown", (event) => event.key === "Enter" && choose(one));
		return element;
	}));
	return shown.length;
}

/* Get the addresses of a function's samples, sorted by address, including the samples of functions
 * inlined into it: [{address, outer, source, line, samples, weight}]. outer is the function that
 * has the code; source is a source file's number + 1, or 0. */
function addressesOf(recording, sums, number) {
	const { functions, parents, nodes, addresses, sources, lines } = recording.places;
	const inlined = recording.facts.functions.map(([name]) => Boolean(name?.endsWith(" (inlined)")));
	const found = new Map();

	for (let place = 0; place < nodes.length; place++) {
		if (!sums.samples[place])
			continue;
		let node = nodes[place], isIn = functions[node] === number;
		while (inlined[functions[node]] && parents[node] >= 0) {
			node = parents[node];
			isIn ||= functions[node] === number;
		}
		if (!isIn)
			continue;
		const address = addresses[place], outer = functions[node];
		const one = found.get(address) ??
			{ address, outer, source: sources[place], line: lines[place], samples: 0, weight: 0 };
		one.samples += sums.samples[place];
		one.weight += sums.weights[place];
		found.set(address, one);
	}
	return [...found.values()].sort((a, b) => a.address - b.address);
}

/* Format a share; "" if it is 0. */
function shareOf(one, whole) {
	return one.weight ? percent(one.weight, whole) : "";
}

/* Keep the addresses with the most samples, if the list is too long to be read. */
function hottest(list) {
	return list.length <= MOST_ADDRESSES ? list
		: list.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_ADDRESSES)
			.sort((a, b) => a.address - b.address);
}

function lineName(facts, { source, line }) {
	return source ? `${facts.sources[source - 1][0].replace(/.*\//, "")}:${line}` : "";
}

/* Add every known instruction of the function, sampled or not. For an inlined function, keep only
 * the sampled addresses. */
function withCode(codes, number, list) {
	const found = new Map(list.map((one) => [one.address, one]));

	for (const outer of new Set([number, ...list.map((one) => one.outer)])) {
		let address = Number(BigInt.asIntN(64, BigInt(codes[outer]?.start ?? 0)));
		for (const [size, text] of codes[outer]?.code ?? []) {
			if (outer === number || found.has(address))
				found.set(address, { address, samples: 0, weight: 0, ...found.get(address), text });
			address += size;
		}
	}
	return [...found.values()].sort((a, b) => a.address - b.address);
}

function drawAddresses(table, facts, list) {
	const whole = list.reduce((sum, one) => sum + one.weight, 0);
	const most = list.reduce((sum, one) => Math.max(sum, one.weight), 0);
	const lined = list.some((one) => one.source);

	head(table, [["Share", "number"], ["Samples", "number"], ["Address", "name"],
		["Instruction", "name"], ...(lined ? [["Line", "name"]] : []), ["", "share"]]);
	table.tBodies[0].replaceChildren(...list.map((one) => row(
		cell(shareOf(one, whole), "number"), cell(one.samples ? String(one.samples) : "", "number"),
		cell(hex(one.address), "name"), cell(one.text ?? "", "name"),
		...(lined ? [cell(lineName(facts, one), "name")] : []),
		one.weight ? bar(one.weight, most) : cell(""))));
}

/* Get the source lines of a function's samples, with the lines around them: [{source, line, text,
 * samples, weight}]. */
function linesOf(facts, list) {
	const found = new Map();
	const add = (source, line, samples, weight) => {
		const key = `${source}:${line}`;
		const one = found.get(key) ??
			{ source, line, text: facts.sources[source - 1][1][line] ?? "", samples: 0, weight: 0 };
		one.samples += samples;
		one.weight += weight;
		found.set(key, one);
	};

	for (const { source, line, samples, weight } of list.filter((one) => one.source)) {
		add(source, line, samples, weight);
		for (let near = line - 5; near <= line + 5; near++)
			if (facts.sources[source - 1][1][near] !== undefined)
				add(source, near, 0, 0);
	}
	return [...found.values()].sort((a, b) => a.source - b.source || a.line - b.line);
}

function drawLines(table, facts, list) {
	const whole = list.reduce((sum, one) => sum + one.weight, 0);
	const most = list.reduce((sum, one) => Math.max(sum, one.weight), 0);

	head(table, [["Share", "number"], ["Samples", "number"], ["Line", "name"], ["Source", "name"],
		["", "share"]]);
	table.tBodies[0].replaceChildren(...list.map((one) => row(
		cell(shareOf(one, whole), "number"), cell(one.samples ? String(one.samples) : "", "number"),
		cell(lineName(facts, one), "name"), cell(one.text, "name source"),
		one.weight ? bar(one.weight, most) : cell(""))));
}

/* ---- Texts ---- */

function drawMissing(section, facts) {
	const list = document.createElement("ul"), first = document.createElement("strong");
	const lines = [...facts.missing];

	if (facts.conserved === false)
		lines.push("Records are unaccounted for: see the accounts.");
	if (facts.advice)
		lines.push(`To keep it, record with ${facts.advice}`);
	section.className = lines.length ? "some" : "none";
	first.textContent = lines.length ? "Not everything is here"
		: "Nothing is missing: every record that the machine made is in this file.";
	list.append(...lines.map((text) => {
		const item = document.createElement("li");
		item.textContent = text;
		return item;
	}));
	section.replaceChildren(first, ...(lines.length ? [list] : []));
}

function drawCounts(table, facts) {
	head(table, [["Event", "name"], ["CPU", "number"], ["Count", "number"], ["Counted", "number"],
		["Samples", "number"], ["Lost", "number"], ["Throttled", "number"]]);
	table.tBodies[0].replaceChildren(...facts.counts.map((one) => {
		const scaled = one.running ? one.count * one.enabled / one.running : 0;
		return row(cell(one.event, "name"), cell(String(one.cpu), "number"),
			cell(one.running ? weightText(one, scaled) : "not counted", "number"),
			cell(one.enabled ? `${percent(one.running, one.enabled)} of ${seconds(one.enabled)}` : "", "number"),
			cell(amount(one.samples), "number"), cell(amount(one.lost), "number"),
			cell(one.throttled ? `${amount(one.throttled)} times` : "0", "number"));
	}));
}

function drawAccounts(element, facts) {
	const checks = document.createElement("details"), title = document.createElement("summary");
	const equations = document.createElement("pre");

	title.textContent = { true: "Every record is accounted for; what was held against what:",
		false: "Records are unaccounted for:", null: "There is nothing to check the counts against." }[facts.conserved];
	equations.textContent = facts.checks.map(([holds, text]) => `${holds ? "  ok  " : "BROKEN"} ${text}`).join("\n");
	checks.open = facts.conserved === false;
	checks.append(title, equations);
	element.replaceChildren(...facts.accounts.map((text) => {
		const line = document.createElement("p");
		line.textContent = text;
		return line;
	}), checks);
	if (facts.trace_bytes) {
		const line = document.createElement("p");
		line.textContent = `${amount(facts.trace_bytes)} bytes of hardware trace are in the file and not on this page as such: bareperf dump, perf script --itrace.`;
		element.append(line);
	}
}

function drawMachine(table, facts) {
	table.tBodies[0].replaceChildren(...facts.machine.map(([what, text]) =>
		row(cell(what), cell(text, "name"))));
}
