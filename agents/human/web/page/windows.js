// The windows: hint, replay, new game, help.

// ---- hint ----------------------------------------------------------------------------------------

async function openHint() {
  if (!at("hint").hidden) return closeHint();
  if (!state.legal.length || at("b-hint").disabled) return;
  at("hint").hidden = false;
  at("hint-body").replaceChildren(make("p.small", null, "The agents are thinking \u2026"));
  try {
    const answer = await ask("hint", { position: state.position });
    if (answer.position === state.position && !at("hint").hidden) drawHint(answer.opinions);
  } catch (error) {
    closeHint();
    await refresh();
    if (!gone) showError(error.message);
  }
}

function closeHint() {
  at("hint").hidden = true;
}

function drawHint(opinions) {
  at("hint-body").replaceChildren(...opinions.map((opinion) => {
    const valued = opinion.rows.some((row) => row.points !== null);
    const rows = opinion.rows.map((row) => {
      const percent = Math.round(100 * row.share);
      const bar = make("i.bar");
      bar.style.width = `${100 * row.share}%`;
      const spread = row.spread === null ? "" : `spread ${row.spread.toFixed(2)}`;
      return make(`tr${row.label === opinion.choice ? ".best" : ""}`, null,
        make("th", { scope: "row" }, row.label),
        make("td.share", null, make("span.rail", { "aria-hidden": "true" }, bar), make("span.percent", null, `${percent} %`)),
        valued && make("td.worth", { title: spread }, row.points === null ? "" : signed(Number(row.points.toFixed(2)))));
    });
    const worlds = opinion.worlds ? ` (looked at ${opinion.worlds} worlds)` : "";
    say(`${opinion.agent} would choose ${opinion.choice}`);
    return make("section", null,
      make("p", null, make("b", null, opinion.agent), ` would choose ${opinion.choice}${worlds}`),
      make("table", null,
        make("thead.heard", null, make("tr", null, make("th", null, "action"), make("th", null, "how likely"), valued && make("th", null, "points expected"))),
        make("tbody", null, rows)),
      opinion.note ? make("p.small.note", null, opinion.note) : null,
      valued && make("p.small", null, "points: what it expects its side to win, less the other side\u2019s"));
  }));
}

// ---- replay --------------------------------------------------------------------------------------

async function openReplay(deal) {
  if (!state.finished) return showError("Replay: no deal is finished yet");
  skip();
  closeHint();
  try {
    const answer = await ask(`replay?deal=${deal || state.finished}`);
    replaying = { ...answer, at: 0 };
  } catch (error) {
    return showError(error.message);
  }
  document.body.classList.add("replaying");
  const slider = make("input", { type: "range", id: "step", min: 0, max: replaying.steps.length - 1, value: 0, "aria-label": "step of the deal" });
  const button = (what, sign, label) => make("button", { type: "button", "data-do": what, "aria-label": label }, sign);
  const deals = make("select", { id: "deal", "aria-label": "finished deal" },
    Array.from({ length: state.finished }, (_, i) => make("option", { value: i + 1, selected: i + 1 === replaying.deal }, `deal ${i + 1}`)));
  at("choices").replaceChildren(make("div.steps", null, deals,
    button("step-back", "\u2039", "one step back"), slider, button("step-on", "\u203a", "one step on"),
    make("button.main", { type: "button", "data-do": "close-replay" }, "Close")));
  showStep(0);
  slider.focus();
}

function showStep(n) {
  replaying.at = Math.max(0, Math.min(replaying.steps.length - 1, n));
  const step = replaying.steps[replaying.at];
  const own = replaying.seat;
  mark(step.table, false);
  drawTable(step.table, own, state.agents, step.won_by ? step : { ...step, won_by: null });
  drawHand(step.table, own, [], [], false);
  at("step").value = replaying.at;
  at("step").setAttribute("aria-valuetext", `${replaying.at} of ${replaying.steps.length - 1}: ${step.words}`);
  const words = `${replaying.at} of ${replaying.steps.length - 1}: ${step.words}`;
  at("status").replaceChildren(make("p.prompt", null, words), make("p.small.situation", null, step.won_by ? `${NAMES[step.won_by]} won the trick` : ""));
}

function closeReplay() {
  replaying = null;
  document.body.classList.remove("replaying");
  rest();
}

// ---- new game and help ---------------------------------------------------------------------------

function fillNewGame() {
  const form = at("new-form");
  form.elements.preset.replaceChildren(...Object.keys(LISTS.presets).map((name) => make("option", { value: name }, name)));
  at("agents").replaceChildren(...LISTS.agents.map((name) => make("option", { value: name })));
  form.elements.seat.addEventListener("change", showSeats);
}

function openNewGame() {
  const form = at("new-form").elements;
  form.seat.value = state.seat;
  for (const seat of SEATS) form[seat].value = state.agents[seat] || "rule_based";
  form.practice.checked = state.practice;
  form.preset.value = typeof state.rules === "string" ? state.rules : form.preset.value || "standard";
  form.target.value = state.table.target;
  form.seed.value = "";
  at("new-error").textContent = "";
  showSeats();
  at("new").showModal();
}

function showSeats() {
  const own = at("new-form").elements.seat.value;
  for (const label of document.querySelectorAll("[data-seat]")) {
    label.hidden = label.dataset.seat === own;
  }
}

async function begin() {
  const form = at("new-form").elements;
  if (!at("new-form").reportValidity()) return;
  const own = form.seat.value;
  const target = Number(form.target.value);
  const agents = {};
  for (const seat of SEATS) if (seat !== own) agents[seat] = form[seat].value.trim();
  const rules = target === 10 ? form.preset.value : { ...LISTS.presets[form.preset.value], target };
  at("new-error").textContent = "";
  try {
    const answer = await ask("new", {
      position: state.position, rules, seat: own, agents,
      seed: form.seed.value ? Number(form.seed.value) : null, practice: form.practice.checked,
    });
    at("new").close();
    skip();
    receive(answer);
  } catch (error) {
    at("new-error").textContent = error.message;
    await refresh();
  }
}

async function save() {
  try {
    at("help-note").textContent = (await ask("save", {})).told;
  } catch (error) {
    at("help-note").textContent = error.message;
  }
}

async function downloadRecords() {
  const answer = await fetch("records", { cache: "no-store" });
  if (!answer.ok) {
    at("help-note").textContent = (await answer.json()).error;
    return;
  }
  const url = URL.createObjectURL(await answer.blob());
  make("a", { href: url, download: "hasenpfeffer.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
