"use strict";
// Controls, pictures and the address of the page. Computations are functions of page.h.

const $ = id => document.getElementById(id);
const C = {};

// Functions of page.h: types of the result and the arguments for Emscripten's cwrap().
const functions = {
    error: "s", wavelets: "s", schemes: "s", patterns: "s", open: "nn", device: "s",
    width: "n", height: "n", planes: "n", pixels: "n", picture: "nnn", capture: "nn",
    pattern: "ns", channel: "ns", is_coloured: "n", wavelet: "ns",
    wavelet_is_periodic: "n", taps: "s", set_tap: "nnnn", wavelet_loss: "s",
    borders: "s", banks: "s", levels_most: "nss", view: "nnsnss", bands_width: "nn",
    bands_height: "nn", begin: "nnn", is_linking: "n", forward: "nn", keep: "nnn",
    inverse: "nn", seconds: "nnn", device_seconds: "nnn",
    psnr: "nn", difference: "n", check: "nnn", tolerance: "nnn", bands: "sn",
    band_names: "sn", draw_image: "n", draw_inverse: "nn", draw_bands: "nnn", draw_band: "nnnn",
    steps: "nnn", step_name: "snnn", step_components: "nnnn",
    step: "nnnn", step_position: "n", step_end: "nnn", draw_step: "nnnn", shader: "snnn",
    matrix: "snnn", diagram: "snn", costs: "sn", filters: "s", shift: "snn",
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

// Returns a result, or throws the error of page.h if it is 0, negative or null.
function must(result) {
    if (!result || result < 0)
        throw new Failure(C.error());
    return result;
}

// Appends an element with a text to its parent.
function addElement(kind, text, parent) {
    const element = parent.appendChild(document.createElement(kind));
    element.textContent = text;
    return element;
}

function button(text, label, parent, action) {
    const knob = addElement("button", text, parent);
    knob.type = "button";
    knob.setAttribute("aria-label", label);
    knob.addEventListener("click", action);
    return knob;
}

// ---- notices ----

function notify(text, key = text) {
    clearNotice(key);
    const notice = addElement("div", "", $("notices"));
    notice.className = "notice";
    notice.dataset.key = key;
    addElement("span", text, notice);
    button("Close", "Close the notice: " + text, notice, () => notice.remove());
}

function clearNotice(key) {
    for (const notice of [...$("notices").children])
        if (notice.dataset.key === key)
            notice.remove();
}

// Runs an action and shows its failure as a notice. Returns true on success.
function attempt(action) {
    try {
        action();
        clearNotice("failure");
        return true;
    } catch (failure) {
        if (!(failure instanceof Failure))
            throw failure;
        notify(failure.message, "failure");
        return false;
    }
}

const attemptAsync = action => action().catch(error => attempt(() => { throw error; }));

// ---- state, stored in the address ----

const initial = {i: "zone-plate", c: "rgb", w: "cdf97", s: "nonsep-polyconvolution",
                 t: "sep-lifting", l: 3, b: "symmetric", f: "decimated", v: "a", d: "forward",
                 p: 0, k: 100, n: 0, g: 12};
const CHANNELS = ["rgb", "luma", "red", "green", "blue"];
const state = {...initial};

const names = {}; // of wavelets, schemes and patterns

const among = list => text => list().includes(text) ? text : undefined;
const integer = (least, most) => text =>
    /^\d{1,4}$/.test(text) && +text >= least && +text <= most ? +text : undefined;

const readers = {
    i: among(() => names.i), c: among(() => CHANNELS), w: among(() => names.w),
    s: among(() => names.s), t: among(() => names.s), l: integer(1, 12),
    b: among(() => names.b), f: among(() => names.f),
    v: among(() => ["a", "b"]), d: among(() => ["forward", "inverse"]), p: integer(0, 999),
    k: integer(0, 100), n: integer(0, 1), g: integer(0, 31),
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
    clearNotice("address");
    if (wrong.length)
        notify("Invalid parameters in the address were ignored: " + wrong.join(", "),
               "address");
}

function writeAddress() {
    const parts = Object.keys(initial)
        .filter(key => state[key] !== initial[key] && !(key === "i" && picture) &&
                !(["w", "e"].includes(key) && customWavelets.has(state.w)))
        .map(key => key + "=" + encodeURIComponent(state[key]).replace(/%3A/g, ":")
             .replace(/%2C/g, ","));
    history.replaceState(null, "", "#" + parts.join("&"));
}

// ---- pictures ----

// Draws a picture of page.h on a canvas.
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

// Only while the table is open, because it reads all coefficients.
function showBands() {
    if (!$("bands-shown").open)
        return;
    const rows = lines(C.bands(0)).map(([name, , , ...numbers]) => {
        const [w, h, ...values] = numbers.map(Number);
        return [name, `${w} × ${h}`, ...values.map(value => w * h > 0 ? short(value) : "–")];
    });
    table($("bands"), "With the normalization of JPEG 2000",
          ["Subband", "Coefficients", "Min", "Max", "Root mean square"], rows);
}

function table(element, title, head, rows) {
    element.replaceChildren(element.createCaption());
    element.caption.textContent = title;
    const top = element.createTHead().insertRow(), body = element.createTBody();
    for (const text of head) {
        const cell = addElement(text ? "th" : "td", text, top);
        if (text)
            cell.scope = "col";
    }
    for (const [first, ...others] of rows) {
        const row = body.insertRow();
        addElement("th", first, row).scope = "row";
        for (const text of others)
            addElement("td", text, row);
    }
}

const LETTERS = ["r: even x, even y", "g: odd x, even y", "b: even x, odd y", "a: odd x, odd y"];
const LETTERS_OF = {undecimated: ["r: LL", "g: HL", "b: LH", "a: HH"],
                    starlet: ["r: C", "", "", "a: W"]};

// Hides components that the step does not compute.
function showPlanes() {
    const components = C.step_components(view(), inverse(), state.p);
    const [width, height, x, y] = new Int32Array(Module.HEAPU8.buffer, C.step_position(), 4);
    for (let plane = 0; plane < 4; plane++) {
        const used = components >> plane & 1;
        $("plane" + plane).closest("figure").hidden = !used;
        if (!used)
            continue;
        const least = C.step_end(plane, 0), most = C.step_end(plane, 1);
        const signed = least < -most / 8, range = Math.max(most, -least) || 1;
        show("plane" + plane, C.draw_step(plane, signed ? -range : 0, range), width, height);
        describe("plane" + plane, (LETTERS_OF[state.f] || LETTERS)[plane] + (signed
            ? `; −${short(range)} black, 0 mid-gray, ${short(range)} white`
            : `; 0 black, ${short(range)} white`));
    }
    const margin = x < 0 || y < 0
        ? ": includes a margin, so that no pass has to extend the image" : "";
    const interpreted = webgl && isExpansive()
        ? " Computed by the interpreter: the image is extended before each level."
        : state.f === "packets" ? " The first level: each level applies these passes to every node." +
            (webgl ? " Computed by the interpreter." : "") : "";
    $("place").textContent = isRedundant()
        ? `${width} × ${height} texels with the bands of a sample. Taps of level l are 2^(l-1) ` +
          "samples apart."
        : `${width} × ${height} quads, the first at (${x}, ${y})${margin}.${interpreted}`;
}

// ---- views ----

let picture = ""; // name of the image if it is not a pattern
let pattern = "", wavelet = "", channel = "rgb", bank = "decimated";

const view = () => state.v === "b" ? 1 : 0;
const isExpansive = () => state.b.startsWith("pywt-"); // more coefficients than samples
const isRedundant = () => state.f === "undecimated" || state.f === "starlet";
const inverse = () => state.d === "inverse" ? 1 : 0;
const TRANSFORMS = [[0, 0], [0, 1], [1, 0], [1, 1]]; // view and direction

function setPattern() {
    must(C.pattern(state.i + ":512x512"));
    pattern = state.i;
    picture = "";
    $("i").value = state.i;
}

function setChannel() {
    must(C.channel(state.c));
    channel = state.c;
}

function setWavelet() {
    must(C.wavelet(state.w));
    applyTaps();
    wavelet = waveletKey();
    if (C.wavelet_is_periodic() && state.b === "symmetric") {
        state.b = "periodic";
        notify(`${state.w} is not symmetric, so the borders are set to periodic.`, "borders");
    } else if (!C.wavelet_is_periodic()) {
        clearNotice("borders");
    }
    showTaps();
}

// Selects schemes and borders that the bank supports.
function setBank() {
    const changes = [], fits = border => C.levels_most(border, state.f) > 0;
    if (bank !== state.f)
        clearNotice("bank");
    bank = state.f;
    for (const [key, scheme] of [["s", "nonsep-convolution"], ["t", "sep-convolution"]])
        if (bank === "starlet" && !state[key].endsWith("-convolution")) {
            state[key] = scheme;
            changes.push(`scheme ${key === "s" ? "A" : "B"} is ${scheme}`);
        }
    if (bank !== "decimated" && !fits(state.b) && fits("periodic")) {
        const wanted = state.b;
        state.b = "periodic";
        changes.push(`borders are periodic, not ${wanted}`);
    }
    if (changes.length)
        notify(`Bank ${bank}${bank === "undecimated" ? ` of ${state.w}` : ""}: ` +
               `${changes.join(", ")}.`, "bank");
}

function setViews() {
    const most = C.levels_most(state.b, state.f);
    $("l").max = Math.max(1, most);
    if (state.l > most && most > 0) {
        notify(`An image of ${C.width()} × ${C.height()} pixels supports at most ${most} levels.`,
               "levels");
        state.l = most;
    }
    must(C.view(0, state.s, state.l, state.b, state.f));
    must(C.view(1, state.t, state.l, state.b, state.f));
}

function showControls() {
    for (const id of ["c", "w", "s", "t", "l", "b", "f", "v", "d", "k", "g"])
        $(id).value = state[id];
    $("n").checked = state.n === 1;
    $("n").disabled = isRedundant(); // has only numbers
}

function showImage() {
    show("image", C.draw_image());
    const isGray = !C.is_coloured() && !["rgb", "luma"].includes(state.c);
    describe("image", (picture || `The pattern ${state.i}`) +
             (isGray ? ", which has no colors" : ""));
}

function addBand(i) {
    const figure = addElement("figure", "", $("bank")), canvas = addElement("canvas", "", figure);
    canvas.id = "band" + i;
    canvas.setAttribute("role", "img");
    addElement("figcaption", "", figure).id = canvas.id + "-text";
    listenToPicture("m", canvas, () => [0, i * C.height()]);
}

// Redundant banks: a picture of each band.
function showBank() {
    const bands = lines(C.band_names(0)), pictures = $("bank");
    pictures.className = "pictures " + state.f;
    while (pictures.children.length > bands.length)
        pictures.lastChild.remove();
    bands.forEach(([name], i) => {
        if (i >= pictures.children.length)
            addBand(i);
        show("band" + i, C.draw_band(0, i, DETAIL_GAIN));
        describe("band" + i, name);
    });
    $("bank-text").textContent = `${bands.length} bands of ${C.width()} × ${C.height()} ` +
        `coefficients; all but the first amplified ${DETAIL_GAIN} times, 0 is mid-gray.` +
        (state.f === "starlet" ? " The image is their sum." : "");
}

function showMosaic() {
    $("mosaic").closest("figure").hidden = isRedundant();
    $("bank").hidden = $("bank-text").hidden = !isRedundant();
    if (isRedundant()) {
        showBank();
        return;
    }
    const width = C.bands_width(0), height = C.bands_height(0);
    show("mosaic", C.draw_bands(0, DETAIL_GAIN), width, height);
    const low = state.f === "packets" ? `${4 ** state.l} nodes, ${"a".repeat(state.l)}`
        : `LL${state.l}`;
    describe("mosaic", `Coefficients: ${low} in the top left corner; details ` +
             `amplified ${DETAIL_GAIN} times, 0 is mid-gray.` +
             (isExpansive() ? ` ${width} × ${height}, more than the image has pixels.` : ""));
}

function showTransform() {
    showImage();
    showMosaic();
    showBands();
    showRestored();
}

function showRestored() {
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
        (Number.isFinite(psnr) ? `${psnr.toFixed(1)} dB.` : "infinite, reconstruction is exact.");
}

function showSteps() {
    const steps = C.steps(view(), inverse());
    $("p").max = steps - 1;
    state.p = Math.min(state.p, steps - 1);
    $("p").value = state.p;
    $("before").disabled = state.p === 0;
    $("after").disabled = state.p === steps - 1;
    const [level, pass, passes, label] = C.step_name(view(), inverse(), state.p).split("\t");
    const words = state.p === 0 ? "loaded input"
        : `level ${level}, ` + (+pass ? `pass ${pass} of ${passes}: ${label}` : label);
    $("p-text").textContent = `${state.p} of ${steps - 1}, ${words}`;
    $("p").setAttribute("aria-valuetext", $("p-text").textContent);
    must(C.step(view(), inverse(), state.p));
    showPlanes();
    $("shader").textContent = C.shader(view(), inverse(), state.p) || "No shader was executed yet.";
    showMatrix(+pass);
}

// Changes the step, and updates what depends on it.
function changeStep(key, value) {
    change(key, value, () => { showSteps(); showTrace(); });
}

// The matrix of one pass, or of all passes.
function showMatrix(pass) {
    const text = C.matrix(view(), inverse(), state.n) || C.error();
    const parts = text.split(/\n=+ barrier =+\n/);
    $("matrix").textContent = pass && parts[pass - 1] ? parts[pass - 1].trim() : text.trim();
}

function showSvg(id, svg, words) {
    $(id).src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    const description = /<desc[^>]*>([^<]*)</.exec(svg);
    $(id).alt = description ? description[1] : words;
}

function showDiagram() {
    showSvg("diagram", must(C.diagram(view(), inverse())), "The scheme's diagram");
}

function showFilters() {
    const loss = C.wavelet_loss();
    $("loss").textContent = loss
        ? `Lost: ${loss}. The inverse still reconstructs the image.`
        : "The low-pass gain at DC is 1 and the high-pass gain 0: a flat image has no details.";
    showSvg("filters", C.filters(), "Filters, φ and ψ");
}

// The levels of the details are those of the transform, at most 4.
function showShift() {
    $("g-text").textContent = state.g;
    showSvg("shift", must(C.shift(state.l, state.g)), "Details of both banks");
    $("shift-text").textContent = $("shift").alt;
}

// ---- updates ----

// Applies the state: image, channel, wavelet and views.
function applyState() {
    if (channel !== state.c)
        setChannel();
    if (!picture && pattern !== state.i)
        setPattern();
    if (wavelet !== waveletKey())
        setWavelet();
    setBank();
    setViews();
    showControls();
}

let later = 0; // timer of pending work, cancelled by the next update
let updates = 0;

// Runs an action when the programs of these transforms are linked. With KHR_parallel_shader_compile
// the page stays responsive; otherwise the action blocks.
function whenLinked(transforms, action) {
    for (const transform of transforms)
        C.begin(...transform);
    const poll = () => {
        if (C.is_linking())
            later = setTimeout(poll, 5);
        else
            attempt(action);
    };
    poll();
}

// Updates everything. Pictures come first, slower parts later, and with a camera when it is
// stopped.
function update() {
    clearTimeout(later);
    updates++;
    if (attempt(applyState))
        whenLinked(TRANSFORMS.slice(0, 2), () => {
            showTransform();
            mark(webgl ? "webgl" : "subbands");
            if (!live)
                later = setTimeout(() => whenLinked(TRANSFORMS, showRest), 0);
        });
    writeAddress();
}

function showRest() {
    showSteps();
    showDiagram();
    showFilters();
    showShift();
    showCompare();
    showTrace();
    showWorksheet();
    document.body.dataset.ready = +(document.body.dataset.ready || 0) + 1;
}

// Performance marks, set once.
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
    clearNotice("half");
    if (bits === "16")
        notify("This device cannot render to 32-bit float textures: samples have 16 bits, and " +
               "differences are about 1000 times larger.", "half");
    return true;
}

function openWebGL() {
    if (open(0))
        return;
    const reason = C.error();
    open(1);
    notify(`No WebGL 2 (${reason}): the CPU backend is used. Intermediate results are those of ` +
           "the reference interpreter.", "webgl");
}

function watchContext() {
    $("wavepass-gl").addEventListener("webglcontextlost", event => {
        event.preventDefault(); // required for restoring it
        notify("The graphics device was lost. The CPU backend is used until it is restored.",
               "lost");
        open(1);
        update();
    });
    $("wavepass-gl").addEventListener("webglcontextrestored", () => {
        if (!open(0))
            return;
        notify("The graphics device is restored.", "lost");
        update();
    });
}

// ---- start ----

// Fills a list. Items of a family are grouped.
function fill(id, list) {
    const groups = new Map();
    $(id).replaceChildren();
    for (const [name, title, family] of list) {
        const option = new Option(name, name);
        option.title = title;
        if (family && !groups.has(family)) {
            const group = addElement("optgroup", "", $(id));
            group.label = family;
            group.title = title;
            groups.set(family, group);
        }
        (groups.get(family) || $(id)).append(option);
    }
    return list.map(([name]) => name);
}

function listen() {
    const on = (id, event, action) => $(id).addEventListener(event, action);
    $("controls").addEventListener("submit", event => event.preventDefault());
    on("i", "change", () => {
        stopCamera();
        picture = "";
        state.i = $("i").value;
        update();
    });
    on("w", "change", () => { Object.assign(state, {w: $("w").value, e: ""}); update(); });
    for (const id of ["c", "s", "t", "b", "f"])
        on(id, "change", () => { state[id] = $(id).value; update(); });
    on("l", "change", () => { state.l = Math.max(1, Math.round(+$("l").value) || 1); update(); });
    on("k", "input", () => change("k", +$("k").value, () => { showRestored(); showTrace(); }));
    for (const id of ["v", "d"])
        on(id, "change", () => change(id, $(id).value, () => {
            state.p = 0;
            showSteps();
            showDiagram();
            showTrace();
        }));
    on("p", "input", () => changeStep("p", +$("p").value));
    on("before", "click", () => changeStep("p", state.p - 1));
    on("after", "click", () => changeStep("p", state.p + 1));
    on("g", "input", () => change("g", +$("g").value, showShift));
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
            (isWaveletFile(file) ? openWaveletFile : openFile)(file);
    });
    addEventListener("hashchange", () => { readAddress(); update(); });
}

function start() {
    connect();
    names.i = fill("i", lines(C.patterns()));
    listWavelets();
    names.s = fill("s", lines(C.schemes()));
    fill("t", lines(C.schemes()));
    names.b = fill("b", lines(C.borders()));
    names.f = fill("f", lines(C.banks()));
    readAddress();
    // WebGL contexts take time to create, so the CPU backend draws the first pictures.
    attempt(() => {
        open(1);
        applyState();
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

// WebAssembly and Emscripten's JavaScript are in the page, compressed (web/pack.py).
async function unpack(id) {
    const packed = Uint8Array.from(atob($(id).textContent), c => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
}

const cannotRun = error => notify(`This browser cannot run the page (${error.message}).`);

function loadCode() {
    unpack("glue").then(glue => glue.text())
        .then(text => addElement("script", text, document.body), cannotRun);
}

var Module = {
    instantiateWasm(imports, done) {
        unpack("wasm").then(wasm => wasm.arrayBuffer())
            .then(code => WebAssembly.instantiate(code, imports))
            .then(({instance, module}) => done(instance, module), cannotRun);
        return {};
    },
    onRuntimeInitialized: start,
    onAbort: reason => notify(`WebAssembly stopped (${reason}). Reload the page.`, "abort"),
};
