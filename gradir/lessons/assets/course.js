// Questions that answer themselves, and progress that stays in this browser.
"use strict";

const KEY = "gradir.course";

function progress() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return found && typeof found === "object" ? found : {};
  } catch {
    return {}; // storage may be shut off: then nothing is remembered
  }
}

function remember(change) {
  const known = progress();
  change(known);
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    return;
  }
}

function entry(known, lesson) {
  known[lesson] = known[lesson] || { done: false, right: {} };
  return known[lesson];
}

const plain = (text) =>
  text.trim().split(/\s+/).join(" ").toLowerCase().replace(/^[`"'.]+|[`"'.]+$/g, "");

function given(form, kind) {
  if (kind === "single" || kind === "multi") {
    const chosen = [...form.querySelectorAll("input:checked")].map((input) => input.value);
    return kind === "single" ? chosen[0] : chosen.sort();
  }
  return form.querySelector("input").value;
}

function isRight(question, answer) {
  switch (question.kind) {
    case "single":
      return answer === question.answer;
    case "multi":
      return JSON.stringify(answer) === JSON.stringify([...question.answer].sort());
    case "number": {
      const read = Number(answer.trim());
      return answer.trim() !== "" && Math.abs(read - question.answer) <= question.tolerance;
    }
    case "shape": {
      const sizes = answer.replace(/[[\]()]/g, " ").split(/[\s,]+/).filter(Boolean);
      return JSON.stringify(sizes) === JSON.stringify(question.answer);
    }
    default:
      return plain(answer) === plain(question.answer);
  }
}

function feedback(question, answer) {
  const said = question.feedback;
  if (question.kind === "multi") {
    const extra = answer.filter((letter) => !question.answer.includes(letter));
    const texts = extra.map((letter) => said[letter]).filter(Boolean);
    if (extra.length === 0) return said.default || "Right so far, but something is missing.";
    return texts.join(" ") || "Not quite.";
  }
  return said[String(answer)] || said.default || "Not that.";
}

function ask(form) {
  const question = JSON.parse(form.dataset.question);
  const verdict = form.querySelector(".verdict");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const answer = given(form, question.kind);
    if (answer === undefined || answer.length === 0) {
      verdict.textContent = "Choose or write an answer first.";
      verdict.className = "verdict";
      return;
    }
    const right = isRight(question, answer);
    // feedback is escaped when the page is written
    verdict.innerHTML = right
      ? `<strong>Right.</strong> ${question.explain}`
      : `<strong>Not quite.</strong> ${feedback(question, answer)}`;
    verdict.className = right ? "verdict right" : "verdict wrong";
    if (right) {
      remember((known) => {
        entry(known, form.dataset.lesson).right[form.dataset.name] = answer;
      });
    }
  });
  const before = entry(progress(), form.dataset.lesson).right[form.dataset.name];
  if (before !== undefined) {
    for (const input of form.querySelectorAll("input")) {
      if (input.type === "text") input.value = before;
      else input.checked = [].concat(before).includes(input.value);
    }
    verdict.innerHTML = `<strong>Right.</strong> ${question.explain}`;
    verdict.className = "verdict right";
  }
}

function showStates() {
  const known = progress();
  const states = [...document.querySelectorAll("[data-state]")];
  let done = 0;
  for (const state of states) {
    const mine = entry(known, state.dataset.state);
    const right = Object.keys(mine.right).length;
    done += mine.done ? 1 : 0;
    const parts = mine.done ? ["done"] : [];
    if (right) parts.push(`${right} of ${state.dataset.questions} questions`);
    state.textContent = parts.join(", ");
  }
  const total = document.getElementById("total");
  if (total) total.textContent = `${done} of ${states.length} exercises done in this browser.`;
}

document.querySelectorAll("form.question").forEach(ask);

const box = document.getElementById("done");
if (box) {
  box.checked = entry(progress(), box.dataset.lesson).done;
  box.addEventListener("change", () => {
    remember((known) => {
      entry(known, box.dataset.lesson).done = box.checked;
    });
  });
}

const forget = document.getElementById("forget");
if (forget) {
  forget.addEventListener("click", () => {
    try {
      localStorage.removeItem(KEY);
    } catch {
      return;
    }
    showStates();
  });
}

showStates();
