"use strict";
// Lifting coefficients, which can be dragged. The address has those that were, as
// e=p1:0:-0.75,u1:-1:0.3: predict 1 takes even[n] times -0.75. Of a symmetric wavelet the mirror
// image follows.

initial.e = state.e = "";
const TAP = /^([pu])(\d{1,2}):(-?\d{1,2}):(-?\d+(?:\.\d+)?(?:e-?\d+)?)$/;
readers.e = text => text.split(",").every(part => TAP.test(part)) ? text : undefined;

const tapName = (step, k) => `${step % 2 ? "u" : "p"}${Math.floor(step / 2) + 1}:${k}`;
const tapsNow = () => lines(C.taps()).map(row => row.map(Number));

let ownTaps = []; // of the wavelet as it was taken

// Which wavelet stands on the page.
const waveletKey = () => `${state.w} ${state.e}`;

// After the wavelet was taken: changes what the address has, and tells what cannot be.
function takeTaps() {
    ownTaps = tapsNow();
    const wrong = [];
    const kept = state.e.split(",").filter(part => {
        if (!part)
            return false;
        const [, kind, pair, k, value] = TAP.exec(part);
        const step = 2 * (pair - 1) + (kind === "u");
        const found = ownTaps.find(tap => tap[0] === step && tap[2] === +k);
        if (found && C.set_tap(step, found[1], +value))
            return true;
        wrong.push(found ? `${part} (${C.error()})` : `${part} (${state.w} has none there)`);
        return false;
    });
    state.e = kept.join(",");
    untell("taps");
    if (wrong.length)
        tell("These coefficients in the address make no sense and were passed over: " +
             wrong.join(", "), "taps");
}

// After a coefficient was dragged. The mirror image of one that is told follows by itself.
function noteTaps() {
    const told = new Set(), symmetric = !C.wavelet_is_periodic(), now = tapsNow();
    const parts = now.flatMap(([step, tap, k, value], i) => {
        const last = now.filter(row => row[0] === step).length - 1;
        if (value === ownTaps[i][3] || (symmetric && told.has(`${step} ${last - tap}`)))
            return [];
        told.add(`${step} ${tap}`);
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
        const group = made("fieldset", "", $("taps"));
        const name = `${step % 2 ? "update" : "predict"} ${Math.floor(step / 2) + 1}`;
        made("legend", name, group);
        for (const {tap, k, value} of taps) {
            const row = made("div", "", group), words = `${name}, sample ${k}`;
            row.className = "tap";
            made("span", `n ${k < 0 ? "−" : "+"} ${Math.abs(k)}`, row);
            for (const [type, most, label] of [["range", 2, words + ", slider"],
                                               ["number", 16, words]]) {
                const input = Object.assign(made("input", "", row),
                                            {type, min: -most, max: most, step: "any", value});
                input.setAttribute("aria-label", label);
                input.dataset.tap = `${step} ${tap}`;
            }
        }
    }
}

// After a change by `dragged`, of a coefficient and perhaps its mirror image.
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
        noteTaps();
        showFilters();
    }));
    $("taps").addEventListener("change", update);
}
