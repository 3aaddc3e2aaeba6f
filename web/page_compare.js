"use strict";
// Two schemes beside each other: what they cost, how long they take, how far they are from each other.

const median = runs => runs.sort((a, b) => a - b)[Math.floor(runs.length / 2)];
const milliseconds = seconds => (1e3 * seconds).toFixed(2) + " ms";

const RUNS = 3;
const CLOCK = "by the clock", CLOCK_WEBGL = "by the clock, between two pixels that are read back",
      QUERY = "by the device's timer, EXT_disjoint_timer_query_webgl2";

// Four times: forward and inverse of A, of B.
function showTimes(seconds, how) {
    const rows = [["Passes of a level"], ["Operations of a quad"], ["Fetches of a quad"],
                  ["Time, forward"], ["Time, inverse"]];
    for (const number of [0, 1]) {
        const [, csv] = C.explain(number, 0, "ops", "csv", 0).trim().split("\n");
        const [,, steps, , , shader, fetches] = csv.split(",");
        const times = seconds.slice(2 * number, 2 * number + 2).map(milliseconds);
        [steps, shader, fetches, ...times].forEach((text, i) => rows[i].push(text));
    }
    table($("compare"), `Times: the median of ${RUNS}, ${how}, without the way to the device`,
          ["What", `A: ${state.s}`, `B: ${state.t}`], rows);
}

const runWay = ([number, way]) => must(way ? C.inverse(number) : C.forward(number));

function timeByClock() {
    return WAYS.map(way => median(Array.from({length: RUNS}, () => {
        runWay(way);
        return C.seconds(...way);
    })));
}

// What a device has taken is known once the browser had its turn: NaN where something else ran
// meanwhile.
async function deviceSeconds(way) {
    runWay(way);
    for (;;) {
        await new Promise(resolve => setTimeout(resolve));
        const seconds = C.device_seconds(...way);
        if (!(seconds < 0))
            return seconds;
    }
}

// Leaves the clock's times where what is shown changes before it is done.
async function timeByDevice() {
    const times = [], turn = updates;
    for (const way of WAYS) {
        const runs = [];
        while (runs.length < RUNS) {
            const seconds = await deviceSeconds(way);
            if (turn !== updates || Number.isNaN(seconds))
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
