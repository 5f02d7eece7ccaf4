/* SPDX-License-Identifier: MIT */
/* The flame graph of the selected samples: callers below, each frame as wide as its share. */

const FRAME_HEIGHT = 17;
const LEAST_SHARE = 0.0008; /* share of the width: narrower frames are left out */
const MOST_FRAMES = 4000;

/* Build the tree with each node's sums: {name, file, node, weight, own, children, parent}. If fold
 * is set, bareperf's own nodes are merged into one, and so are their equal callees. */
function treeOf(recording, sums, fold) {
	const { parents, functions, nodes, nodeCount, machine } = recording.places;
	const weights = new Float64Array(nodeCount), own = new Float64Array(nodeCount);
	const root = { name: "all", weight: 0, own: 0, children: [], depth: 0 };
	const frames = new Array(nodeCount);
	let folded = null;

	sums.weights.forEach((weight, place) => { own[nodes[place]] += weight; });
	for (let node = nodeCount - 1; node >= 0; node--) {
		weights[node] += own[node];
		if (parents[node] >= 0)
			weights[parents[node]] += weights[node];
	}
	for (let node = 0; node < nodeCount; node++) {
		const parent = parents[node] >= 0 ? frames[parents[node]] : root;
		if (weights[node])
			frames[node] = fold && machine[node] ? addFolded(parent, node) : addFrame(parent, node);
	}
	root.weight = root.children.reduce((sum, child) => sum + child.weight, 0);
	return root;

	function addFolded(parent, node) {
		if (!folded) {
			folded = { name: "[the machine]", weight: 0, own: 0, children: [], parent, machine: true };
			parent.children.push(folded);
		}
		folded.own += own[node];
		folded.weight += parents[node] < 0 ? weights[node] : 0;
		return folded;
	}
	function addFrame(parent, node) {
		const [name, file, idle] = recording.facts.functions[functions[node]];
		const known = parent.called?.get(functions[node]);

		if (known) {
			known.weight += weights[node];
			known.own += own[node];
			return known;
		}
		const frame = {
			node, parent, file, idle, name: name ?? `[${file ?? "unknown"}]`,
			function: functions[node], weight: weights[node], own: own[node],
			children: [], machine: machine[node],
		};
		parent.children.push(frame);
		parent.called = (parent.called ?? new Map()).set(functions[node], frame);
		return frame;
	}
}

function byName(a, b) {
	return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/* Compute the drawn frames: [{frame, left, width, depth}], with left and width as shares of the
 * total width. The callers of the focused frame are drawn below it. */
function layOut(focus) {
	const drawn = [], callers = [];

	for (let frame = focus; frame; frame = frame.parent)
		callers.unshift(frame);
	callers.forEach((frame, depth) =>
		drawn.push({ frame, left: 0, width: 1, depth, above: frame !== focus }));
	place(focus, 0, callers.length);
	return drawn;

	function place(frame, left, depth) {
		for (const child of frame.children.sort(byName)) {
			const width = focus.weight ? child.weight / focus.weight : 0;
			if (width >= LEAST_SHARE && drawn.length < MOST_FRAMES && depth < 1000) {
				drawn.push({ frame: child, left, width, depth });
				place(child, left, depth + 1);
			}
			left += width;
		}
	}
}

function hash(text) {
	let value = 7;

	for (let i = 0; i < text.length; i++)
		value = (value * 31 + text.charCodeAt(i)) >>> 0;
	return value;
}

function drawFrame({ frame, left, width, depth, above }, search) {
	const element = document.createElement("div");

	element.className = `frame ${frame.machine ? "machine" : frame.idle ? "idle" : `c${hash(frame.name) % 8}`}`;
	element.classList.toggle("above", Boolean(above));
	element.classList.toggle("hit", isHit(frame, search));
	element.style.left = `${100 * left}%`;
	element.style.width = `${100 * width}%`;
	element.style.bottom = `${depth * FRAME_HEIGHT}px`;
	element.textContent = width > 0.012 ? frame.name : "";
	element.frame = frame;
	frame.element = element;
	return element;
}

function isHit(frame, search) {
	return search !== "" && frame.name.toLowerCase().includes(search.toLowerCase());
}

function drawFlame(element, focus, search) {
	const drawn = layOut(focus);
	const depth = drawn.reduce((most, one) => Math.max(most, one.depth), 0);

	element.style.height = `${(depth + 1) * FRAME_HEIGHT + 2}px`;
	element.replaceChildren(...drawn.map((one) => drawFrame(one, search)));
}

/* The share of the shown samples that have a frame with the text search in its name. A sample
 * counts once. */
function shareFound(focus, search) {
	function found(frame) {
		return isHit(frame, search) ? frame.weight
			: frame.children.reduce((sum, child) => sum + found(child), 0);
	}
	return search === "" ? "" : `${percent(found(focus), focus.weight)} found`;
}

/* Get the frame to which an arrow key leads; the same frame if there is none. */
function neighbour(frame, key) {
	const brothers = (frame.parent?.children ?? [frame]).filter((one) => one.element?.isConnected);
	const at = brothers.indexOf(frame);
	const children = frame.children.filter((one) => one.element?.isConnected);

	switch (key) {
	case "ArrowUp":
		return children.reduce((most, one) => most && most.weight >= one.weight ? most : one, null) ?? frame;
	case "ArrowDown":
		return frame.parent ?? frame;
	case "ArrowLeft":
		return brothers[at - 1] ?? frame;
	default:
		return brothers[at + 1] ?? frame;
	}
}
