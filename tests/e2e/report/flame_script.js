// SPDX-License-Identifier: MIT
/* Runs a flame graph's script on a substitute for a browser's document: `node flame_script.js
 * FILE`. Zooms to the frame "middle", searches, resets; prints the visible frames as JSON. */
// Zooms to the frame "middle", searches, resets; prints what is shown as JSON.
const svg = require("fs").readFileSync(process.argv[2], "utf8");
const script = svg.match(/<!\[CDATA\[([^]*?)\]\]>/)[1];

function element(attributes) {
	const self = {
		style: {},
		dataset: {},
		classes: new Set(),
		on: {},
		textContent: "",
		getAttribute: (name) => attributes[name],
		setAttribute: (name, value) => { attributes[name] = value; },
		addEventListener: (name, call) => { self.on[name] = call; },
		classList: { toggle: (name, set) => self.classes[set ? "add" : "delete"](name) },
	};
	return self;
}

const boxes = [...svg.matchAll(
	/<g class="f" data-x="([^"]*)" data-w="([^"]*)" data-d="([^"]*)" data-n="([^"]*)">/g,
)].map(([, x, w, d, name]) => {
	const parts = { rect: element({}), text: element({}), title: element({}) };
	const box = element({ "data-x": x, "data-w": w, "data-d": d });
	box.dataset.n = name;
	box.parts = parts;
	box.querySelector = (selector) => parts[selector];
	return box;
});
const named = {};
for (const id of ["details", "matched", "reset", "search"])
	named[id] = element({});
global.document = { querySelectorAll: () => boxes, getElementById: (id) => named[id] };
global.window = { addEventListener: (event, call) => { if (event === "load") global.load = call; } };
global.prompt = () => "^leaf$";
global.alert = (text) => { throw new Error(text); };

const shown = () => boxes.filter((b) => b.style.display !== "none").map((b) => b.dataset.n);
new Function(script)();
global.load();
const result = {};
boxes.find((b) => b.dataset.n === "middle").on.click();
result.zoomed = shown();
result.width = boxes.find((b) => b.dataset.n === "middle").parts.rect.getAttribute("width");
named.search.on.click();
result.matched = named.matched.textContent;
result.hits = boxes.filter((b) => b.classes.has("hit")).map((b) => b.dataset.n);
named.reset.on.click();
result.reset = shown();
console.log(JSON.stringify(result));
