// SPDX-License-Identifier: MIT
/* node trace_engine.js ENGINE TRACE: prints, as JSON, the slices that Chrome's own reader finds in
 * a trace, for each thread */
/* [process, thread, {slice: us without the slices of its callees}]. */
"use strict";

const fs = require("fs");

async function main(path, file) {
    globalThis.DOMRect = class {};
    const engine = await import(path);
    const model = engine.TraceModel.Model.createWithAllHandlers(
        { ...engine.Types.Configuration.defaults(), showAllEvents: true });
    await model.parse(JSON.parse(fs.readFileSync(file, "utf8")).traceEvents, {});
    const { Renderer, Meta } = model.parsedTrace().data;
    const threads = [];
    for (const [pid, { threads: own }] of Renderer.processes)
        for (const [, thread] of own) {
            const times = {};
            for (const entry of thread.entries) {
                const node = Renderer.entryToNode.get(entry);
                times[entry.name] = (times[entry.name] || 0) + (node ? node.selfTime : NaN);
            }
            threads.push([Meta.processNames.get(pid).args.name, thread.name, times]);
        }
    console.log(JSON.stringify(threads));
}

main(...process.argv.slice(2));
