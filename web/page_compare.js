"use strict";
// Comparison of two schemes: costs, times and differences.

const median = runs => runs.sort((a, b) => a - b)[Math.floor(runs.length / 2)];
const milliseconds = seconds => (1e3 * seconds).toFixed(2) + " ms";

const RUNS = 3;
const CLOCK = "wall clock", CLOCK_WEBGL = "wall clock between two pixel reads",
      QUERY = "device timer, EXT_disjoint_timer_query_webgl2";

// `seconds`: forward and inverse of A, then of B.
function showTimes(seconds, method) {
    const of = isRedundant() ? "sample" : "quad";
    const rows = [["Passes per level"], [`Operations per ${of}`], [`Fetches per ${of}`],
                  ["Time, forward"], ["Time, inverse"]];
    for (const number of [0, 1]) {
        const times = seconds.slice(2 * number, 2 * number + 2).map(milliseconds);
        [...must(C.costs(number)).split("\t"), ...times].forEach((text, i) => rows[i].push(text));
    }
    table($("compare"), `Times: median of ${RUNS} runs, ${method}, without transfers`,
          ["", `A: ${state.s}`, `B: ${state.t}`], rows);
}

const runTransform = ([number, inverse]) => must(inverse ? C.inverse(number) : C.forward(number));

function timeByClock() {
    return TRANSFORMS.map(transform => median(Array.from({length: RUNS}, () => {
        runTransform(transform);
        return C.seconds(...transform);
    })));
}

// Device times are available after the browser has processed other tasks. NaN if something else ran
// meanwhile.
async function deviceSeconds(transform) {
    runTransform(transform);
    for (;;) {
        await new Promise(resolve => setTimeout(resolve));
        const seconds = C.device_seconds(...transform);
        if (!(seconds < 0))
            return seconds;
    }
}

// Keeps the wall-clock times if the page is updated meanwhile.
async function timeByDevice() {
    const times = [], version = updates;
    for (const transform of TRANSFORMS) {
        const runs = [];
        while (runs.length < RUNS) {
            const seconds = await deviceSeconds(transform);
            if (version !== updates || Number.isNaN(seconds))
                return;
            runs.push(seconds);
        }
        times.push(median(runs));
    }
    showTimes(times, QUERY);
    document.body.dataset.timer = "query";
}

function showCompare() {
    document.body.dataset.timer = "clock";
    showTimes(timeByClock(), webgl ? CLOCK_WEBGL : CLOCK);
    const [between, a, b] =
        [C.difference(), C.check(0, 0), C.check(1, 0)].map(value => value.toExponential(1));
    $("difference").textContent =
        `Largest difference between the coefficients of A and B: ${between}. ` +
        `From the reference interpreter in double precision: A ${a}, B ${b}.`;
    if (hasTimer)
        attemptAsync(timeByDevice);
}
