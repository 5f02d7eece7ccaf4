/* SPDX-License-Identifier: MIT */
/* The time line: one row per CPU; samples are bars, losses are marks. */

const ROW_HEIGHT = 40;
const MARKS = [
	{ kind: KIND.lost, name: "lost", text: "▼ records lost", top: 0 },
	{ kind: KIND.throttled, name: "throttled", text: "▬ throttled", top: ROW_HEIGHT - 4 },
	{ kind: KIND.gap, name: "gap", text: "◆ gap in a trace", top: 6 },
];
const LEGEND = [...MARKS, { kind: KIND.mark, name: "mark", text: "▭ the program's marks" }];

/* Resize a canvas to its size on the screen, and clear it. Returns its context, in CSS pixels. */
function clean(canvas, height) {
	const width = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
	const context = canvas.getContext("2d"), wanted = Math.round(width * ratio);

	if (canvas.width !== wanted) { /* only if needed: it is slow */
		canvas.width = wanted;
		canvas.height = Math.round(height * ratio);
		context.scale(ratio, ratio);
	}
	context.clearRect(0, 0, width, height);
	return { context, width };
}

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name);
}

/* Get a step of 1, 2 or 5 times a power of ten, so that a few steps fit into span. */
function stepOf(span) {
	const power = 10 ** Math.floor(Math.log10(span / 5 || 1));

	return Math.max(1, power * [1, 2, 5, 10].find((times) => times * power >= span / 8));
}

function drawAxis(canvas, view) {
	const { context, width } = clean(canvas, 22);
	const span = view.to - view.from || 1, step = stepOf(span);

	context.fillStyle = context.strokeStyle = colour("--faint");
	context.font = "11px system-ui, sans-serif";
	for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
		const x = (at - view.from) / span * width;
		context.fillRect(x, 15, 1, 7);
		context.fillText(at ? seconds(at) : "0", Math.min(x + 3, width - 50), 12);
	}
}

/* Add a chunk to the columns: its samples if given, else its bins, which are exact enough if a bin
 * is not wider than a column. */
function addColumns(columns, chunk, view, samples) {
	const scale = columns.length / (view.to - view.from + 1);
	const start = (chunk.first - view.from) * scale;

	if (samples) {
		const { times, weights } = samples;
		for (let i = 0; i < times.length; i++) {
			const x = Math.floor(start + times[i] * scale);
			if (x >= 0 && x < columns.length)
				columns[x] += weights[i];
		}
		return;
	}
	const part = (chunk.last - chunk.first + 1) / chunk.bins.length * scale;
	const pieces = Math.max(1, Math.ceil(part));
	chunk.bins.forEach((weight, i) => {
		for (let piece = 0; weight && piece < pieces; piece++) {
			const x = Math.floor(start + (i + (piece + 0.5) / pieces) * part);
			if (x >= 0 && x < columns.length)
				columns[x] += weight / pieces;
		}
	});
}

/* Whether a chunk's bins are wider than two pixels, so that the drawing needs its samples. */
function isCoarse(chunk, view, width) {
	const part = (chunk.last - chunk.first + 1) / chunk.bins.length;

	return part * width > 2 * (view.to - view.from + 1);
}

/* Get the visible chunks. A region may end after the chunk's last time, since only the samples have
 * the lengths of regions. */
function visible(recording, view, kind, cpu) {
	const any = kind === KIND.lost || kind === KIND.mark;

	return recording.chunks.filter((chunk) => chunk.kind === kind && chunk.cpu === cpu &&
		(any || chunk.event === view.event) &&
		(kind === KIND.mark || chunk.last >= view.from) && chunk.first <= view.to);
}

/* Get the columns of a CPU, and the chunks that are drawn too coarsely. */
function columnsOf(recording, view, cpu, width) {
	const columns = new Float64Array(Math.max(1, width)), coarse = [];

	for (const chunk of visible(recording, view, KIND.samples, cpu)) {
		const wanted = isCoarse(chunk, view, width);
		if (wanted && !chunk.samples)
			coarse.push(chunk);
		addColumns(columns, chunk, view, wanted && chunk.samples);
	}
	return { columns, coarse };
}

function drawMarks(context, width, recording, view, cpu) {
	const coarse = [], scale = width / (view.to - view.from + 1);

	for (const mark of MARKS) {
		context.fillStyle = colour(`--${mark.name}`);
		for (const chunk of visible(recording, view, mark.kind, cpu)) {
			if (chunk.samples)
				chunk.samples.times.forEach((time, i) => {
					const long = mark.kind === KIND.throttled ? chunk.samples.weights[i] : 0;
					context.fillRect((chunk.first + time - view.from) * scale - 1, mark.top,
						Math.max(3, long * scale), 4);
				});
			else
				coarse.push(chunk);
		}
	}
	return coarse;
}

/* Draw the program's marks: regions as bands with their names, inner regions below outer ones;
 * single moments as ticks. */
function drawProgram(context, width, recording, view, cpu) {
	const coarse = [], scale = width / (view.to - view.from + 1), ends = [];

	context.font = "10px system-ui, sans-serif";
	for (const chunk of visible(recording, view, KIND.mark, cpu)) {
		if (!chunk.samples) {
			coarse.push(chunk);
			continue;
		}
		const { times, weights, places } = chunk.samples;
		[...times.keys()].sort((a, b) => times[a] - times[b]).forEach((i) => {
			const time = chunk.first + times[i], x = (time - view.from) * scale;
			while (ends.length && ends.at(-1) <= time)
				ends.pop();
			const top = 4 + 9 * Math.min(ends.length, 2), long = weights[i] * scale;
			if (weights[i])
				ends.push(time + weights[i]);
			if (x > width || x + long < 0)
				return;
			const from = Math.max(x, 0), to = Math.min(x + Math.max(long, 2), width);
			context.fillStyle = colour("--mark");
			context.globalAlpha = weights[i] ? 0.35 : 1;
			context.fillRect(from, top, to - from, weights[i] ? 8 : ROW_HEIGHT - 8);
			context.globalAlpha = 1;
			if (to - from > 24) {
				context.save();
				context.beginPath();
				context.rect(from, top - 2, to - from, 12);
				context.clip();
				context.fillText(recording.facts.marks[places[i]], from + 2, top + 8);
				context.restore();
			}
		});
	}
	return coarse;
}

/* Find the innermost mark at a moment on a CPU, for the text at the pointer. */
function markAt(recording, cpu, time, near) {
	let best = null, least = Infinity;

	for (const chunk of recording.chunks) {
		if (chunk.kind !== KIND.mark || chunk.cpu !== cpu || !chunk.samples)
			continue;
		chunk.samples.times.forEach((offset, i) => {
			const start = chunk.first + offset, long = chunk.samples.weights[i];
			if (time >= start - near && time <= start + long + near && long < least) {
				least = long;
				best = recording.facts.marks[chunk.samples.places[i]] +
					(long ? `: ${seconds(long)}` : "");
			}
		});
	}
	return best;
}

/* Get the value at a row's full height: nearly the highest column. Higher columns are cut, because
 * one late sample, which represents a long time, would make all others flat. */
function highest(of) {
	const weights = of.flatMap(({ columns }) => [...columns.filter((weight) => weight)]);

	return weights.sort((a, b) => a - b)[Math.floor(weights.length * 0.98)] ?? 1;
}

/* Draw the rows. Returns the chunks that must be decoded for a finer picture. */
function drawRows(recording, view, rows) {
	const width = rows[0]?.canvas.clientWidth ?? 0;
	const of = rows.map((row) => columnsOf(recording, view, row.cpu, width));
	const most = highest(of);
	const coarse = [];

	rows.forEach((row, i) => {
		const { context } = clean(row.canvas, ROW_HEIGHT);
		context.fillStyle = colour("--bar");
		of[i].columns.forEach((weight, x) => {
			const height = weight ? Math.max(1, Math.min(1, weight / most) * (ROW_HEIGHT - 14)) : 0;
			context.fillRect(x, ROW_HEIGHT - 5 - height, 1, height);
		});
		coarse.push(...of[i].coarse, ...drawMarks(context, width, recording, view, row.cpu),
			...drawProgram(context, width, recording, view, row.cpu));
	});
	return coarse;
}

function makeRow(cpu, toggle) {
	const row = document.createElement("div"), label = document.createElement("label");
	const box = document.createElement("input"), canvas = document.createElement("canvas");

	row.className = "row";
	box.type = "checkbox";
	box.checked = true;
	box.addEventListener("change", () => {
		row.classList.toggle("off", !box.checked);
		toggle(cpu, box.checked);
	});
	label.append(box, ` CPU ${cpu}`);
	row.append(canvas, label);
	return { cpu, canvas, element: row };
}

function drawLegend(recording) {
	const there = LEGEND.filter((mark) => recording.chunks.some((chunk) => chunk.kind === mark.kind));

	document.getElementById("legend").replaceChildren(...there.map((mark) => {
		const item = document.createElement("span");
		item.className = mark.name;
		item.textContent = mark.text;
		return item;
	}));
}

/* Dragging selects a range, a click clears the selection: calls select(from, to) with times, or
 * select(null). */
function selectByMouse(element, timeAt, select) {
	let began = null;

	element.addEventListener("pointerdown", (event) => {
		if (event.button || event.target.closest("label"))
			return;
		began = event.clientX;
		element.setPointerCapture(event.pointerId);
	});
	element.addEventListener("pointermove", (event) => {
		if (began !== null && Math.abs(event.clientX - began) > 2)
			select(...[timeAt(began), timeAt(event.clientX)].sort((a, b) => a - b));
	});
	element.addEventListener("pointerup", (event) => {
		if (began !== null && Math.abs(event.clientX - began) <= 2)
			select(null);
		began = null;
	});
	element.addEventListener("pointercancel", () => { began = null; });
}
