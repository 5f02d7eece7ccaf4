/* SPDX-License-Identifier: MIT */
/* Decodes the recording in the page, piece by piece. host-tools/report/series.h and html.c document
 * the encoding. Times are in ns since the recording's first sample. */

const KIND = { samples: 0, lost: 1, throttled: 2, gap: 3, mark: 4 };
const MOST_BYTES = 256 << 20; /* most bytes of decoded samples to keep */

function base64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

/* Decompress a block. */
function inflate(text) {
	const packed = new Blob([base64(text)]).stream();

	return new Response(packed.pipeThrough(new DecompressionStream("deflate")));
}

/* Decode a block. Returns an object that reads its numbers one after another. */
async function unpack(text) {
	return numbers(new Uint8Array(await inflate(text).arrayBuffer()));
}

function numbers(bytes) {
	let at = 0;

	function next() {
		let byte = bytes[at++], value = byte & 127, scale = 128;
		for (; byte > 127; scale *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * scale;
		}
		return value;
	}
	function signed() {
		const value = next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}
	return { next, signed };
}

function column(count, make, next) {
	const values = new make(count);

	for (let i = 0; i < count; i++)
		values[i] = next();
	return values;
}

/* ---- Functions, stacks, places ---- */

async function readPlaces() {
	const block = await unpack(document.getElementById("places").textContent);
	const nodeCount = block.next();
	const before = column(nodeCount, Uint32Array, block.next);
	const parents = new Int32Array(nodeCount);
	before.forEach((distance, node) => { parents[node] = distance ? node - distance : -1; });
	const functions = column(nodeCount, Uint32Array, block.next);
	const machine = column(nodeCount, Uint8Array, block.next); /* bareperf's own nodes */
	const count = block.next();
	const nodes = column(count, Uint32Array, block.next);
	let address = 0;
	const addresses = column(count, Float64Array, () => address += block.signed());
	const sources = column(count, Uint32Array, block.next);
	let line = 0;
	const lines = column(count, Uint32Array, () => line += block.signed());
	return {
		parents, functions, nodes, addresses, sources, lines, count, nodeCount, machine,
		inner: findInner(parents, functions),
	};
}

/* Mark the nodes whose function also occurs further out in their stack. The outer node's total
 * already includes them. */
function findInner(parents, functions) {
	const inner = new Uint8Array(parents.length);

	for (let node = 0; node < parents.length; node++)
		for (let p = parents[node]; p >= 0 && !inner[node]; p = parents[p])
			inner[node] = functions[p] === functions[node];
	return inner;
}

/* ---- Chunks ---- */

function readChunks(facts, start) {
	const texts = document.querySelectorAll('script[type="application/octet-stream"]:not([id])');

	return facts.chunks.map(([kind, event, cpu, first, last, weight, bins], i) => ({
		kind, event, cpu, weight, bins, element: texts[i],
		first: Number(BigInt(first) - start), last: Number(BigInt(last) - start),
	}));
}

function halfOf(chunk, which) {
	return chunk.element.textContent.split(".")[which];
}

/* Get the sums of each place of the whole chunk. */
async function sumsOf(chunk) {
	if (!chunk.sums) {
		const block = await unpack(halfOf(chunk, 0)), count = block.next();
		let place = 0;
		chunk.sums = {
			places: column(count, Uint32Array, () => place += block.next()),
			samples: column(count, Uint32Array, block.next),
			weights: column(count, Float64Array, block.next),
		};
		chunk.count = total(chunk.sums.samples);
	}
	return chunk.sums;
}

/* Copy values into the smallest array type that can hold them. */
function narrow(values) {
	let least = 0, most = 0;

	for (const value of values) {
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	if (least < 0 || most >= 2 ** 32)
		return values;
	return most < 2 ** 16 ? new Uint16Array(values) : new Uint32Array(values);
}

async function readSamples(chunk) {
	await sumsOf(chunk);
	const block = await unpack(halfOf(chunk, 1)), n = chunk.count;
	let time = 0, weight = 0;
	const times = narrow(column(n, Float64Array, () => time += block.signed()));
	const places = narrow(column(n, Uint32Array, block.next));
	const weights = narrow(column(n, Float64Array, () => weight += block.signed()));

	return { times, places, weights,
		bytes: times.byteLength + places.byteLength + weights.byteLength };
}

const kept = new Set(); /* chunks with decoded samples, the last used at the end */
let keptBytes = 0;

function forgetOldest() {
	const oldest = kept.values().next().value;

	kept.delete(oldest);
	keptBytes -= oldest.samples.bytes;
	oldest.samples = null;
}

/* Get a chunk's samples in columns: times since the chunk's first sample, places, weights. */
async function samplesOf(chunk) {
	let samples = chunk.samples;

	if (!samples) {
		chunk.reading ??= readSamples(chunk);
		samples = await chunk.reading;
		keptBytes += chunk.samples ? 0 : samples.bytes;
		chunk.samples = samples;
		chunk.reading = null;
	}
	kept.delete(chunk);
	kept.add(chunk);
	while (keptBytes > MOST_BYTES && kept.size > 1)
		forgetOldest();
	return samples;
}

/* ---- The recording ---- */

async function readRecording() {
	const facts = JSON.parse(document.getElementById("facts").textContent);
	const start = BigInt(facts.start);
	const chunks = readChunks(facts, start);
	const cpus = new Set([...facts.cpus, ...chunks.map((chunk) => chunk.cpu)]);

	return {
		facts, start, chunks,
		span: Number(BigInt(facts.end) - start),
		cpus: [...cpus].sort((a, b) => a - b),
		places: await readPlaces(),
		code: await inflate(document.getElementById("code").textContent).json(),
	};
}

/* Sum up a range of time by place, both ends included. For a chunk that is partly in the range, the
 * samples are read one by one. */
async function sumUp(recording, { event, off, from, to }) {
	const samples = new Float64Array(recording.places.count);
	const weights = new Float64Array(recording.places.count);
	const touched = recording.chunks.filter((chunk) =>
		chunk.kind === KIND.samples && chunk.event === event && !off.has(chunk.cpu) &&
		chunk.last >= from && chunk.first <= to);

	const isWhole = (chunk) => chunk.first >= from && chunk.last <= to;
	const parts = await Promise.all(touched.map((chunk) =>
		isWhole(chunk) ? chunk.sums ?? sumsOf(chunk) : chunk.samples ?? samplesOf(chunk)));

	touched.forEach((chunk, i) =>
		isWhole(chunk) ? addSums(parts[i]) : addSamples(parts[i], from - chunk.first, to - chunk.first));
	return { samples, weights, total: total(weights), count: total(samples) };

	function addSums(sums) {
		for (let i = 0; i < sums.places.length; i++) {
			samples[sums.places[i]] += sums.samples[i];
			weights[sums.places[i]] += sums.weights[i];
		}
	}
	function addSamples(cut, least, most) {
		for (let i = 0; i < cut.times.length; i++) {
			if (cut.times[i] < least || cut.times[i] > most)
				continue;
			samples[cut.places[i]]++;
			weights[cut.places[i]] += cut.weights[i];
		}
	}
}

function total(values) {
	return values.reduce((sum, value) => sum + value, 0);
}
