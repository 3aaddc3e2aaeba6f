"use strict";
// The page. All that is computed is asked of page.h; here are controls, pictures and the address.

const $ = id => document.getElementById(id);
const C = {};

// The functions of page.h: what they return and take, as Emscripten's cwrap() calls these.
const functions = {
    error: "s", wavelets: "s", schemes: "s", patterns: "s", open: "nn", device: "s",
    width: "n", height: "n", image: "nnn", pattern: "ns", pixels: "n", wavelet: "ns",
    wavelet_is_periodic: "n", taps: "s", set_tap: "nnnn", wavelet_loss: "s",
    levels_most: "nn", side: "nnsnn", forward: "nn", keep: "nnn", inverse: "nn", seconds: "nnn",
    psnr: "nn", difference: "n", check: "nnn", tolerance: "nnn", bands: "sn", stages: "nnn", stage_name: "snnn",
    stage: "nnnn", stage_place: "n", shader: "snnn", explain: "snnssn",
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

// ---- notices ----

function tell(text, key = text) {
    const old = [...$("notices").children].find(n => n.dataset.key === key);
    if (old)
        old.remove();
    const notice = document.createElement("div");
    notice.className = "notice";
    notice.dataset.key = key;
    notice.append(document.createElement("span"), document.createElement("button"));
    notice.firstChild.textContent = text;
    notice.lastChild.textContent = "Close";
    notice.lastChild.type = "button";
    notice.lastChild.setAttribute("aria-label", "Close the notice: " + text);
    notice.lastChild.onclick = () => notice.remove();
    $("notices").append(notice);
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

// ---- the state, which the address holds ----

const initial = {i: "zone-plate", w: "cdf97", s: "nonsep-polyconvolution", t: "sep-lifting", l: 3,
                 b: "symmetric", v: "a", d: "forward", p: 0, k: 100, n: 0};
const state = {...initial};

const names = {}; // of wavelets, schemes and patterns

const among = list => text => list().includes(text) ? text : undefined;
const whole = (least, most) => text =>
    /^\d{1,4}$/.test(text) && +text >= least && +text <= most ? +text : undefined;

const readers = {
    i: among(() => names.i), w: among(() => names.w), s: among(() => names.s),
    t: among(() => names.s), l: whole(1, 12), b: among(() => ["symmetric", "periodic"]),
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

// A canvas gets width x height pixels, black where grey(i) is 0 and white where it is 1.
function paint(canvas, width, height, grey) {
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d");
    const picture = context.createImageData(width, height);
    const bytes = picture.data;
    for (let i = 0; i < width * height; i++) {
        bytes[4 * i] = bytes[4 * i + 1] = bytes[4 * i + 2] = 255 * grey(i);
        bytes[4 * i + 3] = 255;
    }
    context.putImageData(picture, 0, 0);
}

function describe(id, text) {
    $(id + "-text").textContent = text;
    $(id).setAttribute("aria-label", text);
}

const short = number => Number.isFinite(number) ? String(+number.toPrecision(4)) : "not finite";

function drawImage(id, pixels, text) {
    const width = C.width(), height = C.height();
    paint($(id), width, height, i => pixels[i]);
    describe(id, text);
}

const DETAIL_GAIN = 4;

function drawMosaic(coefficients) {
    const width = C.width(), height = C.height(), bands = lines(C.bands(0));
    const low = bands[0].slice(1).map(Number);
    paint($("mosaic"), width, height, i => {
        const inside = i % width < low[2] && i / width < low[3];
        return inside ? coefficients[i] : .5 + DETAIL_GAIN * coefficients[i];
    });
    describe("mosaic", `Coefficients: ${bands[0][0]} in the top left corner; details ` +
             `${DETAIL_GAIN} times as strong, zero is mid-grey.`);
    const rows = bands.map(([name, ...numbers]) => {
        const [x, y, w, h] = numbers.map(Number);
        let least = Infinity, most = -Infinity, energy = 0;
        for (let row = y; row < y + h; row++) {
            for (let column = x; column < x + w; column++) {
                const c = coefficients[row * width + column];
                least = Math.min(least, c);
                most = Math.max(most, c);
                energy += c * c;
            }
        }
        const any = w * h > 0;
        return [name, `${w} × ${h}`, any ? short(least) : "–", any ? short(most) : "–",
                any ? short(Math.sqrt(energy / (w * h))) : "–"];
    });
    table($("bands"), "In the norm of JPEG 2000",
          ["Band", "Coefficients", "Least", "Greatest", "Root mean square"], rows);
}

function table(element, title, head, rows) {
    const cell = (kind, text, scope) => {
        const made = document.createElement(kind);
        made.textContent = text;
        if (scope)
            made.scope = scope;
        return made;
    };
    element.replaceChildren(element.createCaption());
    element.caption.textContent = title;
    const top = element.createTHead().insertRow();
    top.append(...head.map(text => cell("th", text, "col")));
    const body = element.createTBody();
    for (const [first, ...others] of rows)
        body.insertRow().append(cell("th", first, "row"), ...others.map(text => cell("td", text)));
}

function drawPlanes(quads, place) {
    const [width, height, x, y] = place;
    const letters = ["r: even x, even y", "g: odd x, even y",
                     "b: even x, odd y", "a: odd x, odd y"];
    for (let plane = 0; plane < 4; plane++) {
        let least = 0, most = 0;
        for (let i = plane; i < quads.length; i += 4) {
            least = Math.min(least, quads[i]);
            most = Math.max(most, quads[i]);
        }
        const signed = least < -most / 8, range = Math.max(most, -least) || 1;
        paint($("plane" + plane), width, height, i => {
            const value = quads[4 * i + plane] / range;
            return signed ? .5 + .5 * value : value;
        });
        describe("plane" + plane, letters[plane] + (signed
            ? `; −${short(range)} black, zero mid-grey, ${short(range)} white`
            : `; 0 black, ${short(range)} white`));
    }
    const margin = x < 0 || y < 0
        ? ": a margin is computed as well, so that no pass treats a border" : "";
    $("place").textContent = `${width} × ${height} quads, the first at (${x}, ${y})${margin}.`;
}

// ---- what is shown ----

let picture = ""; // what the image is called where it is no pattern
let pattern = "", wavelet = "";

const side = () => state.v === "b" ? 1 : 0;
const inverse = () => state.d === "inverse" ? 1 : 0;

function takePattern() {
    must(C.pattern(state.i + ":512x512"));
    pattern = state.i;
    picture = "";
    $("i").value = state.i;
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
    for (const id of ["w", "s", "t", "l", "b", "v", "d", "k"])
        $(id).value = state[id];
    $("n").checked = state.n === 1;
}

function showImage() {
    drawImage("image", floats(C.pixels(), C.width() * C.height()),
              picture || `The pattern ${state.i}`);
}

function showTransform() {
    const count = C.width() * C.height();
    showImage();
    drawMosaic(floats(must(C.forward(0)), count));
    showKept();
}

function showKept() {
    const count = C.width() * C.height(), share = C.keep(0, state.k);
    if (share < 0)
        throw new Failure(C.error());
    $("k").value = state.k;
    $("k-text").textContent = state.k + " %";
    drawImage("restored", floats(must(C.inverse(0)), count),
              `The inverse of ${state.k} % of the coefficients`);
    const psnr = C.psnr(0);
    $("kept").textContent =
        `${(100 * share).toFixed(1)} % of the coefficients are not zero. PSNR: ` +
        (Number.isFinite(psnr) ? `${psnr.toFixed(1)} dB.` : "infinite, all comes back exactly.");
}

function showCompare() {
    const rows = [["Passes of a level"], ["Operations of a quad"], ["Fetches of a quad"],
                  ["Time, forward"], ["Time, inverse"]];
    for (const number of [0, 1]) {
        const [, csv] = C.explain(number, 0, "ops", "csv", 0).trim().split("\n");
        const [,, steps, , , shader, fetches] = csv.split(",");
        const times = [0, 1].map(way => {
            const runs = [];
            for (let i = 0; i < 3; i++) {
                must(way ? C.inverse(number) : C.forward(number));
                runs.push(C.seconds(number, way));
            }
            return (1e3 * runs.sort((a, b) => a - b)[1]).toFixed(2) + " ms";
        });
        [steps, shader, fetches, ...times].forEach((text, i) => rows[i].push(text));
    }
    table($("compare"), "Times: the median of three, by the clock, without the way to the device",
          ["What", `A: ${state.s}`, `B: ${state.t}`], rows);
    const [between, a, b] =
        [C.difference(), C.check(0, 0), C.check(1, 0)].map(value => value.toExponential(1));
    $("difference").textContent =
        `Largest difference between the coefficients of A and B: ${between}. ` +
        `From the reference interpreter in double precision: A ${a}, B ${b}.`;
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
    const at = must(C.stage(side(), inverse(), state.p));
    const place = new Int32Array(Module.HEAPU8.buffer, C.stage_place(), 4);
    drawPlanes(floats(at, 4 * place[0] * place[1]), place);
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

function showTaps() {
    const steps = new Map();
    for (const [step, tap, k, value] of lines(C.taps()))
        steps.set(step, [...steps.get(step) || [], {tap, k, value}]);
    $("taps").replaceChildren(...[...steps].map(([step, taps]) => {
        const group = document.createElement("fieldset");
        const legend = group.appendChild(document.createElement("legend"));
        const word = step % 2 ? "update" : "predict";
        legend.textContent = `${word} ${Math.floor(step / 2) + 1}`;
        for (const {tap, k, value} of taps) {
            const row = group.appendChild(document.createElement("div"));
            row.className = "tap";
            const name = row.appendChild(document.createElement("span"));
            name.textContent = `n ${k < 0 ? "−" : "+"} ${Math.abs(k)}`;
            for (const kind of ["range", "number"]) {
                const input = row.appendChild(document.createElement("input"));
                Object.assign(input, {type: kind, min: kind === "range" ? -2 : -16,
                                      max: kind === "range" ? 2 : 16, step: "any", value});
                const words = `${legend.textContent}, sample ${k}`;
                input.setAttribute("aria-label", kind === "range" ? words + ", slider" : words);
                input.dataset.tap = `${step} ${tap}`;
            }
        }
        return group;
    }));
}

// After a change by `dragged`, of a coefficient and perhaps its mirror image.
function syncTaps(dragged) {
    for (const [step, tap, , value] of lines(C.taps()))
        for (const input of $("taps").querySelectorAll(`[data-tap="${step} ${tap}"]`))
            if (input !== dragged)
                input.value = value;
}

// ---- the order of things ----

// Everything from the image on; what takes longer comes after the pictures are there.
let later = 0;
function update() {
    clearTimeout(later);
    attempt(() => {
        if (!picture && pattern !== state.i)
            takePattern();
        if (wavelet !== waveletKey())
            takeWavelet();
        takeSides();
        showControls();
        showTransform();
        document.body.dataset.transformed ||= performance.now();
        later = setTimeout(() => attempt(() => {
            showSteps();
            showDiagram();
            showFilters();
            showCompare();
            showSums();
            showWorksheet();
            document.body.dataset.ready = +(document.body.dataset.ready || 0) + 1;
        }), 0);
    });
    writeAddress();
}

function change(key, value, show) {
    state[key] = value;
    attempt(show);
    writeAddress();
}

// ---- the device ----

function open(cpu) {
    if (!C.open(cpu))
        return false;
    const [backend, device, bits] = C.device().split("\t");
    $("device").textContent = cpu ? "Computed on the CPU, in WebAssembly."
                                  : `Computed by WebGL 2 on ${device}.`;
    document.body.dataset.backend = backend;
    untell("half");
    if (bits === "16")
        tell("This device draws on no textures of 32-bit floats: samples are kept in 16 bits, " +
             "and differences are a thousand times as large.", "half");
    return true;
}

function openAny() {
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

// ---- images of one's own ----

const SIDE = 1024, PIXELS = 1 << 26;

function takeDrawable(drawable, width, height, name) {
    const scale = Math.min(1, SIDE / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(scale * width));
    canvas.height = Math.max(1, Math.round(scale * height));
    const context = canvas.getContext("2d", {willReadFrequently: true});
    context.drawImage(drawable, 0, 0, canvas.width, canvas.height);
    const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
    const pixels = floats(must(C.image(canvas.width, canvas.height)), canvas.width * canvas.height);
    for (let i = 0; i < pixels.length; i++)
        pixels[i] = (.299 * data[4 * i] + .587 * data[4 * i + 1] + .114 * data[4 * i + 2]) / 255;
    picture = name;
    pattern = "";
    untell("scaled");
    if (scale < 1)
        tell(`${name} has ${width} × ${height} pixels and is shown as ${canvas.width} × ` +
             `${canvas.height}.`, "scaled");
    update();
}

async function takeFile(file) {
    const image = new Image();
    untell("file");
    image.src = URL.createObjectURL(file);
    try {
        await new Promise((yes, no) => Object.assign(image, {onload: yes, onerror: no}));
        const {naturalWidth: width, naturalHeight: height} = image;
        if (width * height > PIXELS)
            tell(`${file.name} has ${width} × ${height} pixels, and at most ` +
                 `${PIXELS / (1 << 20)} million are taken.`, "file");
        else
            attempt(() => takeDrawable(image, width, height, file.name));
    } catch (error) {
        tell(`${file.name} is no image that this browser reads.`, "file");
    } finally {
        URL.revokeObjectURL(image.src);
    }
}

async function takePhotograph() {
    let stream;
    untell("camera");
    try {
        stream = await navigator.mediaDevices.getUserMedia({video: true});
        const video = document.createElement("video");
        video.srcObject = stream;
        video.muted = true;
        await video.play();
        attempt(() => takeDrawable(video, video.videoWidth, video.videoHeight,
                                   "The camera's picture"));
    } catch (error) {
        tell(`There is no picture of a camera (${error.message || error.name}).`, "camera");
    } finally {
        for (const track of stream ? stream.getTracks() : [])
            track.stop();
    }
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
            const group = $(id).appendChild(document.createElement("optgroup"));
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
    on("i", "change", () => { picture = ""; state.i = $("i").value; update(); });
    on("w", "change", () => { Object.assign(state, {w: $("w").value, e: ""}); update(); });
    for (const id of ["s", "t", "b"])
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
    on("reset", "click", () => { state.e = ""; update(); });
    on("taps", "input", event => attempt(() => {
        const [step, tap] = event.target.dataset.tap.split(" ").map(Number);
        must(C.set_tap(step, tap, event.target.value === "" ? NaN : +event.target.value));
        syncTaps(event.target);
        noteTaps();
        showFilters();
    }));
    on("taps", "change", update);
    on("file", "change", () => { if ($("file").files[0]) takeFile($("file").files[0]); });
    on("camera", "click", takePhotograph);
    if (!navigator.mediaDevices) {
        $("camera").disabled = true;
        $("camera").textContent = "not available here";
    }
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
    // Browsers take their time for a context: the image is seen before.
    attempt(takePattern);
    showImage();
    document.body.dataset.picture = performance.now();
    setTimeout(() => {
        watchContext();
        openAny();
        listen();
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
