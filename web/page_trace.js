"use strict";
// Arithmetic of a sample: a click or the arrow keys select a sample of a picture, and its
// computation is listed. The address has it as x=PICTURE:COLUMN,ROW.

Object.assign(functions, {trace_coefficient: "snnn", trace_pixel: "snnn", trace_step: "snnnnnn"});

// Pictures with samples: canvas, query, and position of the first sample.
const PICKED = {
    m: {canvas: "mosaic", query: (x, y) => C.trace_coefficient(0, x, y)},
    o: {canvas: "restored", query: (x, y) => C.trace_pixel(0, x, y)},
};
for (const [plane, letter] of ["r", "g", "b", "a"].entries())
    PICKED[letter] = {
        canvas: "plane" + plane,
        query: (x, y) => C.trace_step(view(), inverse(), state.p, plane, x, y),
        origin: () => [...new Int32Array(Module.HEAPU8.buffer, C.step_position(), 4)].slice(2),
    };

initial.x = state.x = "";
readers.x = text => /^[morgba]:-?\d{1,4},-?\d{1,5}$/.test(text) ? text : undefined;

function picked() {
    const [kind, position] = state.x.split(":");
    return kind && {kind, at: position.split(",").map(Number)};
}

const originOf = kind => PICKED[kind].origin ? PICKED[kind].origin() : [0, 0];

// Coefficients of redundant banks have a canvas for each band, whose rows are below each other in the
// array: the canvas of a row, and its first row.
function canvasOf(kind, y) {
    const band = kind === "m" && isRedundant() ? Math.floor(y / C.height()) : -1;
    return band < 0 ? [$(PICKED[kind].canvas), originOf(kind)]
        : [$("band" + band), [0, band * C.height()]];
}

function sizeOf(kind) {
    const canvas = $(PICKED[kind].canvas);
    return kind === "m" ? [C.bands_width(0), C.bands_height(0)] : [canvas.width, canvas.height];
}

// Typography: a hyphen before a number becomes a minus sign.
const signed = text => text.replace(/(^|[^A-Za-z])-/g, "$1−");

function showLine(list, [name, component, formula, numbers, value]) {
    const item = addElement("li", "", list);
    if (name)
        addElement("span", signed(name) + ": ", item);
    const parts = numbers ? [formula, numbers, value] : [`${formula} = ${value}`];
    for (const [i, text] of parts.entries())
        addElement("code", signed(`${i ? "" : component + " "}= ${text}`), item);
}

function showStep(list, [name, quad, label, beyond]) {
    const item = addElement("li", "", list);
    const element = isRedundant() ? "sample" : "quad";
    addElement("h3", `${name}, ${element} (${signed(quad)})${label ? ": " + label : ""}`, item);
    if (+beyond)
        addElement("p", `Reads ${element}s outside the image, which are extended from the image.`, item);
    return addElement("ul", "", item);
}

function listTrace(rows) {
    $("sums").replaceChildren();
    const steps = addElement("ol", "", $("sums"));
    let list;
    for (const [kind, ...row] of rows)
        if (kind === "step")
            list = showStep(steps, row);
        else
            showLine(list, row);
    for (const empty of $("sums").querySelectorAll("ul:empty"))
        empty.replaceWith(Object.assign(document.createElement("p"),
                                        {textContent: "The sample does not change."}));
    const names = {
        undecimated: "LL, HL, LH and HH are r, g, b and a. LL(+2,0) is LL two samples to the right.",
        starlet: "C and W are r and a. C(+2,0) is C two samples to the right.",
    }[state.f] || "ee, oe, eo and oo are r, g, b and a of a quad: even (e) or odd (o) x, then y. " +
        "ee(+1,0) is ee of the quad to the right.";
    addElement("p", names + " 0 is black, 1 is white.", $("sums"));
}

function markSample(kind, [x, y]) {
    for (const old of document.querySelectorAll(".mark"))
        old.remove();
    const [canvas, [left, top]] = kind ? canvasOf(kind, y) : [null, [0, 0]];
    if (!canvas)
        return;
    const percent = (part, all) => `${100 * part / all}%`;
    const spot = document.createElement("span");
    spot.className = "mark";
    Object.assign(spot.style, {left: percent(x - left + .5, canvas.width),
                               top: percent(y - top + .5, canvas.height),
                               width: percent(1, canvas.width)});
    canvas.parentElement.append(spot);
}

function showTrace() {
    const sample = picked();
    $("x").value = sample ? sample.kind : "";
    $("x0").disabled = $("x1").disabled = !sample;
    $("sums").hidden = $("picked").hidden = !sample;
    $("sums-result").textContent = "";
    markSample(null, [0, 0]);
    if (!sample)
        return;
    const {kind, at: [x, y]} = sample;
    $("x0").value = x;
    $("x1").value = y;
    const [first, ...rows] = lines(PICKED[kind].query(x, y));
    if (!first) {
        $("sums").hidden = true;
        $("sums-result").textContent = $("picked-text").textContent = `No result: ${C.error()}.`;
        return;
    }
    const [, name, meaning, value, computed] = first.map(signed);
    const plane = C.planes() > 1 ? " (Red plane.)" : "";
    $("picked-text").textContent = `${name} = ${value}`;
    $("sums-result").textContent = `${name}, ${meaning}: ${value} in double precision` +
        (computed === "not finite" ? "." : `; ${computed} was computed here.`) + plane;
    listTrace(rows);
    markSample(kind, [x, y]);
}

// One update per frame, for repeated keys.
let frameRequest = 0;
function pick(kind, x, y) {
    const first = originOf(kind), size = sizeOf(kind);
    const [x0, x1] = [x, y].map((i, a) => Math.max(first[a], Math.min(first[a] + size[a] - 1, i)));
    state.x = `${kind}:${x0},${x1}`;
    writeAddress();
    cancelAnimationFrame(frameRequest);
    frameRequest = requestAnimationFrame(() => attempt(showTrace));
}

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

function listenToPicture(kind, canvas, origin = () => originOf(kind)) {
    const frame = document.createElement("div");
    frame.className = "frame";
    canvas.replaceWith(frame);
    frame.append(canvas);
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "picture");
    canvas.setAttribute("aria-describedby", "sums-hint");
    canvas.addEventListener("click", event => {
        const box = canvas.getBoundingClientRect(), [left, top] = origin();
        const x = (event.clientX - box.left - canvas.clientLeft) / canvas.clientWidth;
        const y = (event.clientY - box.top - canvas.clientTop) / canvas.clientHeight;
        pick(kind, left + Math.floor(x * canvas.width), top + Math.floor(y * canvas.height));
    });
    canvas.addEventListener("keydown", event => {
        if (!Object.hasOwn(ARROWS, event.key))
            return;
        event.preventDefault();
        const sample = picked(), [x, y] = ARROWS[event.key], step = event.shiftKey ? 10 : 1;
        const [left, top] = origin();
        const from = sample && canvasOf(sample.kind, sample.at[1])[0] === canvas ? sample.at
            : [left + (canvas.width >> 1) - x * step, top + (canvas.height >> 1) - y * step];
        pick(kind, from[0] + x * step, from[1] + y * step);
    });
}

function listenToPictures() {
    for (const [kind, picture] of Object.entries(PICKED))
        listenToPicture(kind, $(picture.canvas));
    const choose = () => $("x").value
        ? pick($("x").value, Math.round(+$("x0").value) || 0, Math.round(+$("x1").value) || 0)
        : change("x", "", showTrace);
    for (const id of ["x", "x0", "x1"])
        $(id).addEventListener("change", choose);
    $("sums-form").addEventListener("submit", event => event.preventDefault());
    $("picked-close").addEventListener("click", () => change("x", "", showTrace));
    $("picked-sums").addEventListener("click", () => $("h-sums").focus());
}
