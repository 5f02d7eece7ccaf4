/* SPDX-License-Identifier: MIT */
/* The nested calls of a branch trace over time: a chart for each CPU, callers above their callees.
 * They are the samples of the event "calls", one for each change of a CPU's stack. */

const CALL_HEIGHT = 15;
const MOST_DEPTH = 48;
const LEAST_WIDTH = 0.4; /* pixels: narrower calls are drawn this wide, and cannot be pointed at */

function callsEvent({ facts }) {
	return facts.events.findIndex((event) => event.calls);
}

/* Make the charts' canvases: [{cpu, canvas, calls}]. Without calls: none. */
function makeCharts(recording, section) {
	const event = callsEvent(recording);
	const cpus = [...new Set(recording.chunks.filter((one) => one.kind === KIND.samples && one.event === event)
		.map((one) => one.cpu))].sort((a, b) => a - b);

	section.hidden = !cpus.length;
	if (!cpus.length)
		return [];
	document.getElementById("calls-note").textContent =
		`CPU ${cpus.join(", ")}: callers above their callees; ${recording.facts.events[event].calls}.`;
	const charts = cpus.map((cpu) => ({ cpu, canvas: document.createElement("canvas"), calls: [] }));
	document.getElementById("calls-rows").replaceChildren(...charts.map((one) => one.canvas));
	return charts;
}

/* The nodes from the outermost function to this node. */
function pathOf({ parents }, node) {
	const path = [];

	for (; node >= 0; node = parents[node])
		path.unshift(node);
	return path;
}

/* Get the visible calls of a CPU: [{node, depth, from, to}] in ns; and the chunks that must be decoded
 * first. */
function callsOf(recording, view, cpu) {
	const event = callsEvent(recording), calls = [], coarse = [], open = [];
	const close = (depth) => { calls.push(...open.splice(depth)); };
	const paths = new Map();

	for (const chunk of recording.chunks) {
		if (chunk.kind !== KIND.samples || chunk.event !== event || chunk.cpu !== cpu || chunk.first > view.to)
			continue;
		if (!chunk.samples) {
			coarse.push(chunk);
			continue;
		}
		const { times, weights, places } = chunk.samples;
		for (let i = 0; i < times.length; i++) {
			const from = chunk.first + times[i], to = from + weights[i];
			if (to < view.from || from > view.to)
				continue;
			const node = recording.places.nodes[places[i]];
			const path = paths.get(node) ?? paths.set(node, pathOf(recording.places, node)).get(node);
			let same = 0;
			while (same < open.length && open[same].node === path[same] && open[same].to === from)
				open[same++].to = to;
			close(same);
			for (let depth = same; depth < path.length; depth++)
				open.push({ node: path[depth], depth, from, to });
		}
	}
	close(0);
	return { calls, coarse };
}

function drawCall(context, recording, view, width, call) {
	const { functions } = recording.places, scale = width / (view.to - view.from + 1);
	const left = Math.max(0, (call.from - view.from) * scale);
	const right = Math.min(width, (call.to - view.from) * scale), top = call.depth * CALL_HEIGHT;
	const name = recording.facts.functions[functions[call.node]][0] ?? "[unknown]";

	context.fillStyle = `hsl(${hash(name) % 360} 55% 68%)`;
	context.fillRect(left, top, Math.max(right - left - 0.2, LEAST_WIDTH), CALL_HEIGHT - 1);
	if (right - left > 30) {
		context.save();
		context.beginPath();
		context.rect(left, top, right - left - 2, CALL_HEIGHT);
		context.clip();
		context.fillStyle = "black";
		context.fillText(name, left + 2, top + 11);
		context.restore();
	}
	return { ...call, name, left, right, top };
}

/* Draw the charts. Returns the chunks that must be decoded for a whole picture. */
function drawCalls(recording, view, charts) {
	const coarse = [];

	for (const chart of charts) {
		const found = callsOf(recording, view, chart.cpu);
		const calls = found.calls.filter((call) => call.depth < MOST_DEPTH);
		const height = CALL_HEIGHT * (1 + calls.reduce((most, call) => Math.max(most, call.depth), 0));
		if (chart.height !== height) {
			chart.height = height;
			chart.canvas.style.height = `${height}px`;
			chart.canvas.width = 0; /* clean() makes it anew */
		}
		const { context, width } = clean(chart.canvas, height);
		context.font = "11px system-ui, sans-serif";
		chart.calls = calls.map((call) => drawCall(context, recording, view, width, call));
		coarse.push(...found.coarse);
	}
	return coarse;
}

/* Describe the call at a place of the chart. NULL: none. */
function callAt({ calls }, x, y) {
	const call = calls.find((one) => x >= one.left && x < one.right && y >= one.top && y < one.top + CALL_HEIGHT);

	return call ? `${call.name}: ${seconds(call.to - call.from)}, from ${seconds(call.from)}` : null;
}

function listenToCalls(charts, line) {
	for (const chart of charts)
		chart.canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
			line.textContent = callAt(chart, offsetX, offsetY) ?? "\u00a0";
		});
}
