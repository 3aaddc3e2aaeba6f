"use strict";
// Lifting coefficients, which can be dragged. Changed ones are in the address as
// e=p1:0:-0.75,u1:-1:0.3: predict 1 multiplies even[n] by -0.75. For symmetric wavelets their
// mirror images are implied.

initial.e = state.e = "";
const TAP = /^([pu])(\d{1,2}):(-?\d{1,2}):(-?\d+(?:\.\d+)?(?:e-?\d+)?)$/;
readers.e = text => text.split(",").every(part => TAP.test(part)) ? text : undefined;

const tapName = (step, k) => `${step % 2 ? "u" : "p"}${Math.floor(step / 2) + 1}:${k}`;
const tapsNow = () => lines(C.taps()).map(row => row.map(Number));

let originalTaps = []; // of the selected wavelet without changes

// Identifies the wavelet with its changes.
const waveletKey = () => `${state.w} ${state.e}`;

// Applies the changes in the address to the selected wavelet, and reports invalid ones.
function applyTaps() {
    originalTaps = tapsNow();
    const wrong = [];
    const valid = state.e.split(",").filter(part => {
        if (!part)
            return false;
        const [, kind, pair, k, value] = TAP.exec(part);
        const step = 2 * (pair - 1) + (kind === "u");
        const found = originalTaps.find(tap => tap[0] === step && tap[2] === +k);
        if (found && C.set_tap(step, found[1], +value))
            return true;
        wrong.push(`${part} (${found ? C.error() : state.w + " has no such coefficient"})`);
        return false;
    });
    state.e = valid.join(",");
    clearNotice("taps");
    if (wrong.length)
        notify("Invalid coefficients in the address were ignored: " +
               wrong.join(", "), "taps");
}

// Stores changed coefficients in the address, without implied mirror images.
function storeTaps() {
    const written = new Set(), symmetric = !C.wavelet_is_periodic(), now = tapsNow();
    const parts = now.flatMap(([step, tap, k, value], i) => {
        const last = now.filter(row => row[0] === step).length - 1;
        if (value === originalTaps[i][3] || (symmetric && written.has(`${step} ${last - tap}`)))
            return [];
        written.add(`${step} ${tap}`);
        return [`${tapName(step, k)}:${value}`];
    });
    state.e = parts.join(",");
    wavelet = waveletKey();
    writeAddress();
}

// ---- sliders ----

function showTaps() {
    const steps = new Map();
    for (const [step, tap, k, value] of lines(C.taps()))
        steps.set(step, [...steps.get(step) || [], {tap, k, value}]);
    $("taps").replaceChildren();
    for (const [step, taps] of steps) {
        const group = addElement("fieldset", "", $("taps"));
        const name = `${step % 2 ? "update" : "predict"} ${Math.floor(step / 2) + 1}`;
        addElement("legend", name, group);
        for (const {tap, k, value} of taps) {
            const row = addElement("div", "", group), words = `${name}, sample ${k}`;
            row.className = "tap";
            addElement("span", `n ${k < 0 ? "−" : "+"} ${Math.abs(k)}`, row);
            for (const [type, most, label] of [["range", 2, words + ", slider"],
                                               ["number", 16, words]]) {
                const input = Object.assign(addElement("input", "", row),
                                            {type, min: -most, max: most, step: "any", value});
                input.setAttribute("aria-label", label);
                input.dataset.tap = `${step} ${tap}`;
            }
        }
    }
}

// Updates the inputs except `dragged`.
function syncTaps(dragged) {
    for (const [step, tap, , value] of lines(C.taps()))
        for (const input of $("taps").querySelectorAll(`[data-tap="${step} ${tap}"]`))
            if (input !== dragged)
                input.value = value;
}

function listenToTaps() {
    $("reset").addEventListener("click", () => { state.e = ""; update(); });
    $("taps").addEventListener("input", event => attempt(() => {
        const [step, tap] = event.target.dataset.tap.split(" ").map(Number);
        must(C.set_tap(step, tap, event.target.value === "" ? NaN : +event.target.value));
        syncTaps(event.target);
        storeTaps();
        showFilters();
        showShift();
    }));
    $("taps").addEventListener("change", update);
}
