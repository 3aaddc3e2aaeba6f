"use strict";
// The page. All that is computed is asked of page.h; here are controls, pictures and the address.

const $ = id => document.getElementById(id);
const C = {};

// The functions of page.h: what they return and take, as Emscripten's cwrap() calls these.
const functions = {
    error: "s", wavelets: "s", schemes: "s", patterns: "s", open: "nn", device: "s",
    width: "n", height: "n", planes: "n", pixels: "n", picture: "nnn", take_picture: "nn",
    pattern: "ns", channel: "ns", is_coloured: "n", wavelet: "ns",
    wavelet_is_periodic: "n", taps: "s", set_tap: "nnnn", wavelet_loss: "s",
    levels_most: "nn", side: "nnsnn", begin: "nnn", is_linking: "n", forward: "nn", keep: "nnn", inverse: "nn", seconds: "nnn",
    device_seconds: "nnn",
    psnr: "nn", difference: "n", check: "nnn", tolerance: "nnn", bands: "sn",
    draw_image: "n", draw_inverse: "nn", draw_bands: "nnn", stages: "nnn", stage_name: "snnn",
    stage: "nnnn", stage_place: "n", stage_end: "nnn", draw_stage: "nnnn", shader: "snnn",
    explain: "snnssn",
};

function connect() {
    const type = {s: "string", n: "number"};
    for (const [name, types] of Object.entries(functions))
        C[name] = Module.cwrap("page_" + name, type[types[0]] || null,
                               [...types.slice(1)].map(t => type[t]));
}

const floats = (at, count) => new Float32Array(Module.HEAPF32.buffer, at, count);
const lines = text => (text || "").split("\n").filter(l => l).map(l => l.split("\t"));

class Failure extends Error {}

// What page.h says of a failure.
function must(result) {
    if (!result || result < 0)
        throw new Failure(C.error());
    return result;
}

// An element with a text, the last one in its parent.
function made(kind, text, parent) {
    const element = parent.appendChild(document.createElement(kind));
    element.textContent = text;
    return element;
}

function button(text, label, parent, work) {
    const knob = made("button", text, parent);
    knob.type = "button";
    knob.setAttribute("aria-label", label);
    knob.addEventListener("click", work);
    return knob;
}

// ---- notices ----

function tell(text, key = text) {
    untell(key);
    const notice = made("div", "", $("notices"));
    notice.className = "notice";
    notice.dataset.key = key;
    made("span", text, notice);
    button("Close", "Close the notice: " + text, notice, () => notice.remove());
}

function untell(key) {
    for (const notice of [...$("notices").children])
        if (notice.dataset.key === key)
            notice.remove();
}

// Does it, and tells what went wrong. True where nothing did.
function attempt(work) {
    try {
        work();
        untell("failure");
        return true;
    } catch (failure) {
        if (!(failure instanceof Failure))
            throw failure;
        tell(failure.message, "failure");
        return false;
    }
}

const attemptAsync = work => work().catch(error => attempt(() => { throw error; }));

// ---- the state, which the address holds ----

const initial = {i: "zone-plate", c: "rgb", w: "cdf97", s: "nonsep-polyconvolution",
                 t: "sep-lifting", l: 3, b: "symmetric", v: "a", d: "forward", p: 0, k: 100, n: 0};
const CHANNELS = ["rgb", "luma", "red", "green", "blue"];
const state = {...initial};

const names = {}; // of wavelets, schemes and patterns

const among = list => text => list().includes(text) ? text : undefined;
const whole = (least, most) => text =>
    /^\d{1,4}$/.test(text) && +text >= least && +text <= most ? +text : undefined;

const readers = {
    i: among(() => names.i), c: among(() => CHANNELS), w: among(() => names.w),
    s: among(() => names.s), t: among(() => names.s), l: whole(1, 12),
    b: among(() => ["symmetric", "periodic"]),
    v: among(() => ["a", "b"]), d: among(() => ["forward", "inverse"]), p: whole(0, 999),
    k: whole(0, 100), n: whole(0, 1),
};

function readAddress() {
    const wrong = [];
    Object.assign(state, initial);
    for (const part of location.hash.slice(1).split("&").filter(x => x)) {
        const [key, ...rest] = part.split("=");
        let text = rest.join("=");
        try {
            text = decodeURIComponent(text);
        } catch (error) {
            text = "";
        }
        const value = Object.hasOwn(readers, key) ? readers[key](text) : undefined;
        if (value === undefined)
            wrong.push(part.slice(0, 40));
        else
            state[key] = value;
    }
    untell("address");
    if (wrong.length)
        tell("This in the address makes no sense and was passed over: " + wrong.join(", "),
             "address");
}

function writeAddress() {
    const parts = Object.keys(initial)
        .filter(key => state[key] !== initial[key] && !(key === "i" && picture) &&
                !(["w", "e"].includes(key) && ownWavelets.has(state.w)))
        .map(key => key + "=" + encodeURIComponent(state[key]).replace(/%3A/g, ":").replace(/%2C/g, ","));
    history.replaceState(null, "", "#" + parts.join("&"));
}

// ---- pictures ----

// A canvas shows a picture of page.h's, of width x height pixels.
function show(id, at, width = C.width(), height = C.height()) {
    const canvas = $(id);
    if (canvas.width !== width || canvas.height !== height)
        Object.assign(canvas, {width, height});
    const bytes = new Uint8ClampedArray(Module.HEAPU8.buffer, must(at), 4 * width * height);
    canvas.getContext("2d").putImageData(new ImageData(bytes, width, height), 0, 0);
}

function describe(id, text) {
    $(id + "-text").textContent = text;
    $(id).setAttribute("aria-label", text);
}

const short = number => Number.isFinite(number) ? String(+number.toPrecision(4)) : "not finite";

const DETAIL_GAIN = 4;

// Only while it is open: it is a look at every coefficient.
function showBands() {
    if (!$("bands-shown").open)
        return;
    const rows = lines(C.bands(0)).map(([name, , , ...numbers]) => {
        const [w, h, ...values] = numbers.map(Number);
        return [name, `${w} × ${h}`, ...values.map(value => w * h > 0 ? short(value) : "–")];
    });
    table($("bands"), "In the norm of JPEG 2000",
          ["Band", "Coefficients", "Least", "Greatest", "Root mean square"], rows);
}

function table(element, title, head, rows) {
    element.replaceChildren(element.createCaption());
    element.caption.textContent = title;
    const top = element.createTHead().insertRow(), body = element.createTBody();
    for (const text of head)
        made("th", text, top).scope = "col";
    for (const [first, ...others] of rows) {
        const row = body.insertRow();
        made("th", first, row).scope = "row";
        for (const text of others)
            made("td", text, row);
    }
}

const LETTERS = ["r: even x, even y", "g: odd x, even y", "b: even x, odd y", "a: odd x, odd y"];

function showPlanes() {
    const [width, height, x, y] = new Int32Array(Module.HEAPU8.buffer, C.stage_place(), 4);
    for (let plane = 0; plane < 4; plane++) {
        const least = C.stage_end(plane, 0), most = C.stage_end(plane, 1);
        const signed = least < -most / 8, range = Math.max(most, -least) || 1;
        show("plane" + plane, C.draw_stage(plane, signed ? -range : 0, range), width, height);
        describe("plane" + plane, LETTERS[plane] + (signed
            ? `; −${short(range)} black, zero mid-grey, ${short(range)} white`
            : `; 0 black, ${short(range)} white`));
    }
    const margin = x < 0 || y < 0
        ? ": a margin is computed as well, so that no pass treats a border" : "";
    $("place").textContent = `${width} × ${height} quads, the first at (${x}, ${y})${margin}.`;
}

// ---- what is shown ----

let picture = ""; // what the image is called where it is no pattern
let pattern = "", wavelet = "", channel = "rgb";

const side = () => state.v === "b" ? 1 : 0;
const inverse = () => state.d === "inverse" ? 1 : 0;
const WAYS = [[0, 0], [0, 1], [1, 0], [1, 1]]; // side and direction, as page.h has them

function takePattern() {
    must(C.pattern(state.i + ":512x512"));
    pattern = state.i;
    picture = "";
    $("i").value = state.i;
}

function takeChannel() {
    must(C.channel(state.c));
    channel = state.c;
}

function takeWavelet() {
    must(C.wavelet(state.w));
    takeTaps();
    wavelet = waveletKey();
    if (C.wavelet_is_periodic() && state.b !== "periodic") {
        state.b = "periodic";
        tell(`${state.w} is not symmetric, so borders are periodic.`, "borders");
    } else if (!C.wavelet_is_periodic()) {
        untell("borders");
    }
    showTaps();
}

function takeSides() {
    const periodic = +(state.b === "periodic"), most = C.levels_most(periodic);
    $("l").max = Math.max(1, most);
    if (state.l > most && most > 0) {
        tell(`An image of ${C.width()} × ${C.height()} pixels takes ${most} levels here.`,
             "levels");
        state.l = most;
    }
    must(C.side(0, state.s, state.l, periodic));
    must(C.side(1, state.t, state.l, periodic));
}

function showControls() {
    for (const id of ["c", "w", "s", "t", "l", "b", "v", "d", "k"])
        $(id).value = state[id];
    $("n").checked = state.n === 1;
}

function showImage() {
    show("image", C.draw_image());
    const lacks = !C.is_coloured() && !["rgb", "luma"].includes(state.c);
    describe("image", (picture || `The pattern ${state.i}`) +
             (lacks ? ", which has no colours" : ""));
}

function showMosaic() {
    show("mosaic", C.draw_bands(0, DETAIL_GAIN));
    describe("mosaic", `Coefficients: LL${state.l} in the top left corner; details ` +
             `${DETAIL_GAIN} times as strong, zero is mid-grey.`);
}

function showTransform() {
    showImage();
    showMosaic();
    showBands();
    showKept();
}

function showKept() {
    const share = C.keep(0, state.k);
    if (share < 0)
        throw new Failure(C.error());
    $("k").value = state.k;
    $("k-text").textContent = state.k + " %";
    show("restored", C.draw_inverse(0));
    describe("restored", `The inverse of ${state.k} % of the coefficients`);
    const psnr = C.psnr(0);
    $("kept").textContent =
        `${(100 * share).toFixed(1)} % of the coefficients are not zero. PSNR: ` +
        (Number.isFinite(psnr) ? `${psnr.toFixed(1)} dB.` : "infinite, all comes back exactly.");
}

function showSteps() {
    const stages = C.stages(side(), inverse());
    $("p").max = stages - 1;
    state.p = Math.min(state.p, stages - 1);
    $("p").value = state.p;
    $("before").disabled = state.p === 0;
    $("after").disabled = state.p === stages - 1;
    const [level, pass, passes, label] = C.stage_name(side(), inverse(), state.p).split("\t");
    const words = state.p === 0 ? "as it was loaded"
        : `level ${level}, ` + (+pass ? `pass ${pass} of ${passes}: ${label}` : label);
    $("p-text").textContent = `${state.p} of ${stages - 1}, ${words}`;
    $("p").setAttribute("aria-valuetext", $("p-text").textContent);
    must(C.stage(side(), inverse(), state.p));
    showPlanes();
    $("shader").textContent = C.shader(side(), inverse(), state.p) || "Nothing ran yet.";
    showMatrix(+pass);
}

// The passes and what hangs on the step.
function changeStep(key, value) {
    change(key, value, () => { showSteps(); showSums(); });
}

// All passes' matrices, or that of one.
function showMatrix(pass) {
    const text = C.explain(side(), inverse(), "matrix", "txt", state.n) || C.error();
    const parts = text.split(/\n=+ barrier =+\n/);
    $("matrix").textContent = pass && parts[pass - 1] ? parts[pass - 1].trim() : text.trim();
}

function showSvg(id, svg, words) {
    $(id).src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    const description = /<desc[^>]*>([^<]*)</.exec(svg);
    $(id).alt = description ? description[1] : words;
}

function showDiagram() {
    showSvg("diagram", C.explain(side(), inverse(), "diagram", "svg", 0), "The scheme's diagram");
}

function showFilters() {
    const loss = C.wavelet_loss();
    $("loss").textContent = loss
        ? `Lost: ${loss}. The inverse still brings the image back.`
        : "The low-pass gain at DC is 1 and the high-pass gain 0: a flat image has no details.";
    showSvg("filters", C.explain(0, 0, "filters", "svg", 0), "Filters, φ and ψ");
}

// ---- the order of things ----

// What is computed of the image, whatever it is.
function takeState() {
    if (channel !== state.c)
        takeChannel();
    if (!picture && pattern !== state.i)
        takePattern();
    if (wavelet !== waveletKey())
        takeWavelet();
    takeSides();
    showControls();
}

let later = 0; // what is to be done in a while, unless something else is to be shown then
let updates = 0;

// Does it once the programs of these transforms are linked, and meanwhile the page answers: where
// the browser has KHR_parallel_shader_compile. Else it is done at once.
function whenLinked(ways, work) {
    for (const way of ways)
        C.begin(...way);
    const look = () => {
        if (C.is_linking())
            later = setTimeout(look, 5);
        else
            attempt(work);
    };
    look();
}

// Everything from the image on; what takes longer comes after the pictures are there, and of a
// camera once one is kept.
function update() {
    clearTimeout(later);
    updates++;
    if (attempt(takeState))
        whenLinked(WAYS.slice(0, 2), () => {
            showTransform();
            mark(webgl ? "webgl" : "subbands");
            if (!live)
                later = setTimeout(() => whenLinked(WAYS, showRest), 0);
        });
    writeAddress();
}

function showRest() {
    showSteps();
    showDiagram();
    showFilters();
    showCompare();
    showSums();
    showWorksheet();
    document.body.dataset.ready = +(document.body.dataset.ready || 0) + 1;
}

// For who measures how fast the page is there: the first time of each.
function mark(name) {
    if (!performance.getEntriesByName(name, "mark").length)
        performance.mark(name);
}

function change(key, value, show) {
    state[key] = value;
    attempt(show);
    writeAddress();
}

// ---- the device ----

let webgl = false, hasTimer = false;

function open(cpu) {
    if (!C.open(cpu))
        return false;
    const [backend, device, bits, timer] = C.device().split("\t");
    webgl = !cpu;
    hasTimer = timer === "1";
    $("device").textContent = cpu ? "Computed on the CPU, in WebAssembly."
                                  : `Computed by WebGL 2 on ${device}.`;
    document.body.dataset.backend = backend;
    untell("half");
    if (bits === "16")
        tell("This device draws on no textures of 32-bit floats: samples are kept in 16 bits, " +
             "and differences are a thousand times as large.", "half");
    return true;
}

function openWebGL() {
    if (open(0))
        return;
    const reason = C.error();
    open(1);
    tell(`No WebGL 2 (${reason}): the CPU computes instead. What stands between passes is the ` +
         "interpreter's.", "webgl");
}

function watchContext() {
    $("wavepass-gl").addEventListener("webglcontextlost", event => {
        event.preventDefault(); // so that it can be restored
        tell("The browser took the graphics device away; until it is back the CPU computes.",
             "lost");
        open(1);
        update();
    });
    $("wavepass-gl").addEventListener("webglcontextrestored", () => {
        if (!open(0))
            return;
        tell("The graphics device is back.", "lost");
        update();
    });
}

// ---- start ----

// What is of a family stands in a group.
function fill(id, list) {
    const groups = new Map();
    $(id).replaceChildren();
    for (const [name, title, family] of list) {
        const option = new Option(name, name);
        option.title = title;
        if (family && !groups.has(family)) {
            const group = made("optgroup", "", $(id));
            group.label = family;
            group.title = title;
            groups.set(family, group);
        }
        (groups.get(family) || $(id)).append(option);
    }
    return list.map(([name]) => name);
}

function listen() {
    const on = (id, event, work) => $(id).addEventListener(event, work);
    $("controls").addEventListener("submit", event => event.preventDefault());
    on("i", "change", () => {
        stopCamera();
        picture = "";
        state.i = $("i").value;
        update();
    });
    on("w", "change", () => { Object.assign(state, {w: $("w").value, e: ""}); update(); });
    for (const id of ["c", "s", "t", "b"])
        on(id, "change", () => { state[id] = $(id).value; update(); });
    on("l", "change", () => { state.l = Math.max(1, Math.round(+$("l").value) || 1); update(); });
    on("k", "input", () => change("k", +$("k").value, () => { showKept(); showSums(); }));
    for (const id of ["v", "d"])
        on(id, "change", () => change(id, $(id).value, () => {
            state.p = 0;
            showSteps();
            showDiagram();
            showSums();
        }));
    on("p", "input", () => changeStep("p", +$("p").value));
    on("before", "click", () => changeStep("p", state.p - 1));
    on("after", "click", () => changeStep("p", state.p + 1));
    on("n", "change", () => change("n", +$("n").checked, showSteps));
    on("bands-shown", "toggle", () => attempt(showBands));
    const body = document.body;
    body.addEventListener("dragover", event => {
        event.preventDefault();
        body.classList.add("dropping");
    });
    body.addEventListener("dragleave", () => body.classList.remove("dropping"));
    body.addEventListener("drop", event => {
        event.preventDefault();
        body.classList.remove("dropping");
        const [file] = event.dataTransfer.files;
        if (file)
            (isWaveletFile(file) ? takeWaveletFile : takeFile)(file);
    });
    addEventListener("hashchange", () => { readAddress(); update(); });
}

function start() {
    connect();
    names.i = fill("i", lines(C.patterns()));
    listWavelets();
    names.s = fill("s", lines(C.schemes()));
    fill("t", lines(C.schemes()));
    readAddress();
    // Browsers take their time for a context: the CPU is asked before.
    attempt(() => {
        open(1);
        takeState();
        showImage();
        mark("picture");
        showTransform();
        mark("subbands");
    });
    setTimeout(() => {
        watchContext();
        openWebGL();
        mark("context");
        listen();
        listenToTaps();
        listenToCamera();
        listenToPictures();
        listenToWavelets();
        listenToWorksheet();
        update();
    }, 0);
}

// web/pack.py has put the WebAssembly into the page, compressed.
async function instantiate(imports) {
    const packed = Uint8Array.from(atob($("wasm").textContent), c => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.instantiate(await new Response(stream).arrayBuffer(), imports);
}

var Module = {
    instantiateWasm(imports, done) {
        instantiate(imports).then(
            ({instance, module}) => done(instance, module),
            error => tell(`This browser cannot run the page (${error.message}).`));
        return {};
    },
    onRuntimeInitialized: start,
    onAbort: reason => tell(`WebAssembly stopped (${reason}). Reload the page.`, "abort"),
};
