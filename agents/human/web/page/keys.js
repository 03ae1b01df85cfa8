// The mouse, the keyboard, and the beginning.

const DOING = {
  act: (button) => change("act", { seat: state.seat, action: button.dataset.action }),
  next: () => state.deal_is_over && state.game_is_over ? openNewGame() : change("next", {}),
  undo: () => change("undo", {}),
  skip,
  hint: openHint,
  "close-hint": closeHint,
  replay: () => replaying ? closeReplay() : openReplay(),
  "step-back": () => showStep(replaying.at - 1),
  "step-on": () => showStep(replaying.at + 1),
  "close-replay": closeReplay,
  "open-new": openNewGame,
  "open-help": openHelp,
  "open-sheet": openSheet,
  analysis: (button) => openAnalysis(Number((button && button.dataset.deal) || (replaying || {}).deal || state.finished)),
  moment: (button) => {
    at("analysis").close();
    openReplay(Number(button.dataset.deal), Number(button.dataset.step));
  },
  trick: (button) => lookAtTrick(Number(button.dataset.trick)),
  begin,
  save,
  records: downloadRecords,
  close: (button) => button.closest("dialog").close(),
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (!button) {
    if (event.target.closest("main")) skip();
    return;
  }
  if (button.closest("form")) event.preventDefault();
  if (!state) return;
  const what = button.dataset.do;
  if (what === "act" && replaying) return;
  if (["act", "next", "undo"].includes(what) && skip()) return;
  DOING[what](button);
});

document.addEventListener("input", (event) => {
  if (event.target.id === "step") showStep(Number(event.target.value));
});

document.addEventListener("change", (event) => {
  if (event.target.id === "deal") openReplay(Number(event.target.value));
  if (event.target.id === "pace") remember();
});

at("new-form").addEventListener("submit", (event) => event.preventDefault());

// ---- keys ----------------------------------------------------------------------------------------

const LETTERS = { h: "b-hint", u: "b-undo", r: "b-replay", g: "b-new", s: "b-sheet", "?": "b-help" };

document.addEventListener("keydown", (event) => {
  if (!state || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || event.target.matches("input:not([type=range]), select")) return;
  if (press(event.key, event)) event.preventDefault();
});

function press(key, event) {
  if (key === "Escape") {
    if (replaying) return closeReplay(), true;
    if (!at("hint").hidden) return closeHint(), true;
    return skip();
  }
  if (key.startsWith("Arrow")) return move(key, event.target);
  if (key === "t") return earlierTrick(), true;
  if (key === "a" && (replaying || state.deal_is_over)) return skip(), DOING.analysis(), true;
  if (replaying && key !== "r") return false;
  if (LETTERS[key.toLowerCase()]) {
    const button = at(LETTERS[key.toLowerCase()]);
    if (!button.disabled && !button.hidden) button.click();
    return true;
  }
  if (key === "n" && state.deal_is_over) return skip() || DOING.next(), true;
  if (/^[0-9]$/.test(key)) return choose(key), true;
  return false;
}

function choose(key) {
  if (skip()) return;
  const choice = state.choices.find((offered) => offered.key === key);
  if (choice) change("act", { seat: state.seat, action: choice.action });
  else if (state.choices.length) {
    showError(`There is no choice ${key} here (there are ${state.choices.map((offered) => offered.key).join(", ")})`);
  }
}

// Arrows move along the buttons or the hand, and between the two.
function move(key, from) {
  if (replaying) return false; // the slider takes them
  const rows = buttonRows();
  if (!rows.length) return false;
  const row = rows.findIndex((buttons) => buttons.includes(from));
  if (row < 0) return begun(rows), true;
  const column = rows[row].indexOf(from);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const n = rows[row].length;
    rows[row][(column + (key === "ArrowRight" ? 1 : n - 1)) % n].focus();
  } else {
    const other = rows[(row + 1) % rows.length];
    other[Math.min(column, other.length - 1)].focus();
  }
  return true;
}

function buttonRows() {
  const shown = ["choices", "ending", "hand"].map(at).filter((row) => !row.hidden);
  return shown.map((row) => [...row.querySelectorAll("button")]).filter((row) => row.length);
}

// Where the arrows begin: at the first button, or at the first card that may be played.
function begun(rows) {
  const first = rows.flat().find((button) => !button.matches(".held-card:not(.may)"));
  (first || rows[0][0]).focus();
}

// After the table is drawn again: the same button, else one in the same row, else where arrows begin.
function focusOn(name) {
  const same = document.querySelector(`[data-at="${CSS.escape(name)}"]`);
  if (same) return same.focus();
  const rows = buttonRows();
  if (rows.length) begun(rows);
}

// ---- the beginning -------------------------------------------------------------------------------

function remember() {
  try { localStorage.setItem("pace", at("pace").value); } catch { /* kept for this page only */ }
}

function recall() {
  try {
    const kept = localStorage.getItem("pace");
    if (kept !== null && [...at("pace").options].some((option) => option.value === kept)) at("pace").value = kept;
  } catch { /* the pace of the page holds */ }
}

recall();
fillNewGame();
refresh().then(keepUp);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
