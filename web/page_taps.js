"use strict";
// Changed lifting coefficients in the address, e=p1:0:-0.75,u1:-1:0.3: predict 1 takes even[n] times
// -0.75. Of a symmetric wavelet the mirror image follows.

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
