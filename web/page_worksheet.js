"use strict";
// The worksheet: questions of page.h with input fields. The address has its number as q=SEED.

Object.assign(functions, {questions: "sn", is_right: "nns", solution: "sn"});

initial.q = state.q = 0;
readers.q = integer(0, 9999);

// State of each question: "", "right" or "shown".
let outcome = [];
let worksheet = ""; // key of the current questions

function showScore() {
    const count = word => outcome.filter(each => each === word).length;
    const shown = count("shown");
    $("q-score").textContent = !outcome.length ? ""
        : `${count("right")} of ${outcome.length} right` + (shown ? `, ${shown} shown.` : ".");
}

function judge(i, text, kind) {
    const verdict = $(`q${i}-verdict`);
    verdict.textContent = text;
    verdict.className = "verdict " + kind;
    $(`q${i}`).setAttribute("aria-invalid", String(kind === "wrong"));
    showScore();
}

function check(i) {
    const right = C.is_right(i, $(`q${i}`).value);
    if (right < 0)
        judge(i, `Not a number (${C.error()}).`, "wrong");
    else if (!right)
        judge(i, "Not yet.", "wrong");
    else {
        // A solution that was shown does not score.
        outcome[i] ||= "right";
        judge(i, "Right.", "right");
    }
}

function showAnswer(i) {
    const [[answer, working]] = lines(C.solution(i));
    outcome[i] ||= "shown";
    judge(i, `The answer is ${signed(answer)}. ${signed(working || "")}`, "shown");
}

function addQuestion(i, [text, hint]) {
    const item = document.createElement("li"), number = `question ${i + 1}`;
    addElement("p", signed(text), item).id = `q${i}-text`;
    const form = addElement("form", "", item);
    form.className = "row";
    const field = form.appendChild(document.createElement("input"));
    Object.assign(field, {id: `q${i}`, type: "text", autocomplete: "off", spellcheck: false,
                          maxLength: 60});
    field.setAttribute("aria-label", `Your answer to ${number}`);
    field.setAttribute("aria-describedby", `q${i}-text q${i}-verdict`);
    addElement("button", "Check", form).setAttribute("aria-label", `Check ${number}`);
    form.addEventListener("submit", event => {
        event.preventDefault();
        check(i);
    });
    button("Hint", `Hint for ${number}`, form, event => {
        shownHint.textContent = signed(hint);
        event.target.disabled = true;
    });
    button("Show answer", `Show the answer to ${number}`, form, () => showAnswer(i));
    const shownHint = addElement("p", "", item), verdict = addElement("p", "", item);
    shownHint.className = "hint";
    verdict.id = `q${i}-verdict`;
    for (const element of [shownHint, verdict])
        element.setAttribute("role", "status");
    return item;
}

// Questions that do not change keep their answers.
function showWorksheet() {
    $("q").value = state.q;
    $("q-all").disabled = $("q-print").disabled = !state.q;
    const key = state.q ? `${state.w} ${state.q}` : "";
    if (key === worksheet)
        return;
    worksheet = key;
    const questions = state.q ? lines(C.questions(state.q)) : [];
    outcome = questions.map(() => "");
    $("questions").replaceChildren(...questions.map((question, i) => addQuestion(i, question)));
    $("q-title").textContent = state.q ? `Wavelet ${state.w}, set ${state.q}` : "";
    showScore();
}

function listenToWorksheet() {
    $("q").addEventListener("change", () =>
        change("q", readers.q($("q").value) ?? 0, showWorksheet));
    $("q-new").addEventListener("click", () =>
        change("q", 1 + Math.floor(9999 * Math.random()), showWorksheet));
    $("q-all").addEventListener("click", () => outcome.forEach((_, i) => showAnswer(i)));
    $("q-print").addEventListener("click", () => {
        document.body.classList.add("handout");
        print();
    });
    addEventListener("afterprint", () => document.body.classList.remove("handout"));
}
