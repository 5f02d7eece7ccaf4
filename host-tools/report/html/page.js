/* SPDX-License-Identifier: MIT */
/* The page's state, and the actions of keys and buttons. */

const KEYS = [
	["drag", "select a time"], ["z", "show the selection alone"], ["+  -", "zoom in, out"],
	["←  →", "move"], ["0", "show all, select nothing"], ["m", "fold the machine's own frames, or not"],
	["/", "search"], ["Enter", "on a frame or function: show it alone, with its addresses"],
	["Escape", "one step back: frame, selection, zoom"], ["?", "these keys"],
];

let recording;
let rows;
let charts; /* of calls, a CPU each */
let turn = 0; /* number of the current computation; a newer one cancels older ones */
const view = { from: 0, to: 0, event: 0 };
const state = {
	selection: null, off: new Set(), fold: true, search: "", sorted: 0, most: MOST_ROWS,
	chosen: null, focus: null, frame: null, sums: null, tree: null,
};

function byId(id) {
	return document.getElementById(id);
}

function selected() {
	return state.selection ?? { from: view.from, to: view.to };
}

/* ---- Drawing ---- */

function drawTimeline() {
	const element = byId("timeline"), box = byId("selection");
	const span = view.to - view.from + 1, { selection } = state;

	drawAxis(byId("axis"), view);
	const coarse = [...drawRows(recording, view, rows), ...drawCalls(recording, view, charts)];
	box.hidden = !selection || selection.to < view.from || selection.from > view.to;
	if (!box.hidden) {
		const from = Math.max(selection.from, view.from), to = Math.min(selection.to, view.to);
		box.style.left = `${100 * (from - view.from) / span}%`;
		box.style.width = `${100 * (to - from + 1) / span}%`;
		box.style.height = `${element.scrollHeight}px`;
	}
	return coarse;
}

function drawStatus() {
	const { from, to } = selected(), event = recording.facts.events[view.event];
	const { sums, selection } = state, idle = idleOf(recording, sums);
	const absolute = [from, to].map((at) => perfTime(recording.start + BigInt(Math.round(at))));

	byId("from").value = digitsOf(from);
	byId("to").value = digitsOf(to);
	byId("status").textContent =
		`${selection ? "Selected" : "Shown"}: ${seconds(to - from)}, from ${seconds(from)} to ${seconds(to)}; ` +
		`${sums.count.toLocaleString("en")} samples of ${event?.name ?? "nothing"}, ` +
		`${event ? weightText(event, sums.total) : 0}` +
		`${idle ? `, ${percent(idle, sums.total)} of it idle` : ""}`;
	byId("perf").textContent = `perf report --time ${absolute.join(",")} -i ${recording.facts.file}`;
}

/* Format seconds with nine digits behind the point, like the input fields. */
function digitsOf(ns) {
	return (ns / 1e9).toFixed(9);
}

function drawStacks() {
	const { tree, search } = state, shown = state.focus ?? tree;

	drawFlame(byId("flame"), shown, search);
	byId("root").hidden = !state.focus;
	byId("found").textContent = shareFound(shown, search);
	point(state.focus ?? tree);
}

function drawTable() {
	const count = drawFunctions(byId("functions"), functionsOf(recording, state.sums, state.fold), {
		sums: state.sums, sorted: state.sorted, search: state.search, most: state.most,
		chosen: state.chosen,
	}, (sorted) => { state.sorted = sorted; drawTable(); }, (one) => choose(one.number));

	byId("more").hidden = count <= state.most;
	byId("more").textContent = `All ${count} functions`;
	drawHot();
}

function drawHot() {
	const [name, file] = recording.facts.functions[state.chosen] ?? [];
	const found = state.chosen === null ? [] : addressesOf(recording, state.sums, state.chosen);
	const list = hottest(found);

	byId("hot").hidden = state.chosen === null;
	byId("hot-title").textContent = `${name ?? "[unknown]"} in ${file ?? "[unknown]"}` +
		(list.length < found.length ? `: the ${list.length} hottest of ${found.length} addresses` : "");
	drawAddresses(byId("addresses"), recording.facts, withCode(recording.code, state.chosen, list));
	const lines = linesOf(recording.facts, list);
	byId("lines").hidden = !lines.length;
	drawLines(byId("lines"), recording.facts, lines);
}

/* Select a frame for the keys, and describe it in words. */
function point(frame) {
	const event = recording.facts.events[view.event];

	state.frame?.element?.classList.remove("on");
	state.frame = frame;
	frame.element?.classList.add("on");
	byId("frame").textContent = event ? `${frame.name}${frame.file ? ` (${frame.file})` : ""}: ` +
		`${percent(frame.weight, state.tree.weight)}, ${weightText(event, frame.weight)}; ` +
		`itself ${weightText(event, frame.own)}` : "";
}

function choose(number) {
	state.chosen = number;
	drawTable();
}

/* ---- Computing ---- */

/* Draw the known data at once, then sum up the selection, then refine the time line. */
async function update() {
	const mine = ++turn, { from, to } = selected();

	const coarse = drawTimeline();
	const sums = await sumUp(recording, { event: view.event, off: state.off, from, to });
	if (mine !== turn)
		return;
	state.sums = sums;
	retree();
	drawTable();
	drawStatus();
	document.body.dataset.turn = turn;
	refine(mine, coarse);
}

function retree() {
	state.tree = treeOf(recording, state.sums, state.fold);
	state.focus = state.focus && find(state.tree, state.focus.node);
	drawStacks();

	function find(frame, node) {
		if (frame.node === node)
			return frame;
		for (const child of frame.children) {
			const found = find(child, node);
			if (found)
				return found;
		}
		return null;
	}
}

/* Decode chunk by chunk, so that the page can handle input in between: first the visible chunks,
 * then the others as far as memory allows. */
async function refine(mine, coarse) {
	let drawn = performance.now();

	for (const chunk of [...coarse, ...recording.chunks.filter((one) => !one.samples)]) {
		await new Promise(requestIdleCallback ?? setTimeout);
		if (mine !== turn || keptBytes > MOST_BYTES * 0.9)
			return;
		await samplesOf(chunk);
		if (mine === turn && coarse.includes(chunk) && (performance.now() - drawn > 100 || chunk === coarse.at(-1))) {
			drawTimeline();
			drawn = performance.now();
		}
	}
}

/* ---- Moving ---- */

function show(from, to) {
	const span = Math.min(Math.max(to - from, 10), recording.span);
	const start = Math.round(Math.min(Math.max(from, 0), recording.span - span));

	view.from = start;
	view.to = start + Math.round(span);
	update();
}

function zoom(factor) {
	const { from, to } = selected(), middle = (from + to) / 2;
	const half = (view.to - view.from) * factor / 2;

	show(middle - half, middle + half);
}

function zoomIn() {
	const { selection } = state;

	if (!selection)
		return zoom(0.5);
	state.selection = null;
	return show(selection.from, selection.to);
}

function move(share) {
	const step = (view.to - view.from) * share;

	show(view.from + step, view.to + step);
}

function select(from, to) {
	state.selection = from === null ? null
		: { from: Math.max(0, Math.round(from)), to: Math.min(recording.span, Math.round(to)) };
	update();
}

function all() {
	state.selection = state.focus = null;
	show(0, recording.span);
}

function back() {
	if (state.focus) {
		state.focus = null;
		drawStacks();
	} else if (state.selection) {
		select(null);
	} else {
		all();
	}
}

function focusOn(frame) {
	state.focus = frame === state.tree ? null : frame;
	if (frame.function !== undefined)
		choose(frame.function);
	drawStacks();
}

function refold(fold) {
	state.fold = byId("fold").checked = fold;
	retree();
	drawTable();
}

function search(text) {
	state.search = text;
	drawStacks();
	drawTable();
}

/* ---- Listening ---- */

const PAGE_KEYS = {
	"+": zoomIn, "=": zoomIn, "-": () => zoom(2), "0": all, "z": zoomIn, "Escape": back,
	"m": () => refold(!state.fold), "/": () => byId("search").focus(), "?": () => byId("help").showModal(),
	"ArrowLeft": () => move(-0.1), "ArrowRight": () => move(0.1),
};

function listenToKeys() {
	document.addEventListener("keydown", (event) => {
		const action = PAGE_KEYS[event.key];
		if (event.ctrlKey || event.altKey || event.metaKey || !action || byId("help").open ||
			event.defaultPrevented || (event.target.matches("input, select") && event.key !== "Escape"))
			return;
		event.preventDefault();
		if (event.target.matches("input"))
			event.target.blur();
		action();
	});
	byId("flame").addEventListener("keydown", (event) => {
		if (event.key.startsWith("Arrow")) {
			point(neighbour(state.frame, event.key));
			event.preventDefault();
		} else if (event.key === "Enter") {
			focusOn(state.frame);
		}
	});
}

function listenToFlame() {
	byId("flame").addEventListener("click", (event) => event.target.frame && focusOn(event.target.frame));
	byId("flame").addEventListener("pointerover", (event) => event.target.frame && point(event.target.frame));
	byId("root").addEventListener("click", () => focusOn(state.tree));
	byId("fold").addEventListener("change", (event) => refold(event.target.checked));
	byId("search").addEventListener("input", (event) => search(event.target.value));
	byId("more").addEventListener("click", () => { state.most = Infinity; drawTable(); });
}

function listenToTimeline() {
	const element = byId("timeline");
	const timeAt = (x) => {
		const box = byId("axis").getBoundingClientRect();
		return view.from + (x - box.left) / box.width * (view.to - view.from + 1);
	};
	const typed = () => {
		const [from, to] = ["from", "to"].map((id) => Math.round(Number(byId(id).value) * 1e9));
		if (from <= to)
			select(from, to);
	};

	selectByMouse(element, timeAt, select);
	element.addEventListener("pointermove", (event) => {
		const row = rows.find((one) => one.canvas === event.target);
		const near = (timeAt(event.clientX + 3) - timeAt(event.clientX));
		if (row)
			row.canvas.title = markAt(recording, row.cpu, timeAt(event.clientX), near) ?? "";
	});
	element.addEventListener("dblclick", zoomIn);
	element.addEventListener("wheel", (event) => {
		if (!event.ctrlKey)
			return;
		event.preventDefault();
		const at = timeAt(event.clientX), factor = event.deltaY > 0 ? 1.25 : 0.8;
		show(at - (at - view.from) * factor, at + (view.to - at) * factor);
	}, { passive: false });
	["from", "to"].forEach((id) => byId(id).addEventListener("change", typed));
	byId("zoom-in").addEventListener("click", zoomIn);
	byId("zoom-out").addEventListener("click", () => zoom(2));
	byId("all").addEventListener("click", all);
}

function listenToLooks() {
	const root = document.documentElement;

	byId("theme").addEventListener("click", () => {
		const dark = root.dataset.theme ? root.dataset.theme === "dark"
			: matchMedia("(prefers-color-scheme: dark)").matches;
		root.dataset.theme = dark ? "light" : "dark";
		drawTimeline();
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTimeline);
	matchMedia("print").addEventListener("change", drawTimeline);
	window.addEventListener("beforeprint", drawTimeline);
	window.addEventListener("resize", drawTimeline);
	byId("help-button").addEventListener("click", () => byId("help").showModal());
}

/* ---- Start ---- */

function fillHelp() {
	const table = document.createElement("table"), close = document.createElement("button");

	table.append(...KEYS.map(([key, does]) => {
		const name = document.createElement("kbd"), first = cell("");
		name.textContent = key;
		first.append(name);
		return row(first, cell(does));
	}));
	close.textContent = "Close";
	close.addEventListener("click", () => byId("help").close());
	byId("help").append(table, close);
}

function fillPage() {
	const { facts } = recording, command = facts.machine.find(([what]) => what === "Command");
	const samples = facts.events.reduce((sum, event) => sum + event.samples, 0);

	document.title = `${facts.file} - bareperf`;
	byId("title").textContent = command ? command[1] : facts.file;
	byId("subtitle").textContent =
		`${facts.file}: ${samples.toLocaleString("en")} samples in ${seconds(recording.span)}`;
	byId("event").append(...facts.events.map((event, i) => new Option(event.name, i)));
	drawMissing(byId("missing"), facts);
	drawCounts(byId("counts"), facts);
	drawAccounts(byId("accounts"), facts);
	drawMachine(byId("machine"), facts);
	drawBoot(byId("boot"), facts.boot);
	drawLegend(recording);
	fillHelp();
}

function makeRows() {
	rows = recording.cpus.map((cpu) => makeRow(cpu, (which, on) => {
		state.off[on ? "delete" : "add"](which);
		update();
	}));
	byId("rows").append(...rows.map((one) => one.element));
}

async function start() {
	recording = await readRecording();
	const { events } = recording.facts;

	fillPage();
	makeRows();
	charts = makeCharts(recording, byId("calls"));
	byId("main").hidden = false;
	view.to = recording.span;
	view.event = events.reduce((most, event, i) => event.samples > events[most].samples ? i : most, 0);
	byId("event").value = view.event;
	byId("event").addEventListener("change", (event) => {
		view.event = Number(event.target.value);
		state.focus = state.chosen = null;
		update();
	});
	listenToKeys();
	listenToFlame();
	listenToTimeline();
	listenToCalls(charts, byId("call"));
	listenToLooks();
	await update();
}
