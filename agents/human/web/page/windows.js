// The windows: hint, replay, new game, help.

// ---- hint ----------------------------------------------------------------------------------------

async function openHint() {
  if (!at("hint").hidden) return closeHint();
  if (!state.legal.length || at("b-hint").disabled) return;
  at("hint").hidden = false;
  at("hint-body").replaceChildren(make("p.small", null, state.is_ready ? "The agents are thinking \u2026" : "The agents are getting ready: they compile once \u2026"));
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

// One table: a row for each legal action, and for each agent its columns.
function drawHint(opinions) {
  const order = opinions.at(-1).rows;
  const cells = opinions.map((opinion) => {
    say(`${opinion.agent} would choose ${opinion.choice}`);
    const rows = new Map(opinion.rows.map((row) => [row.action, row]));
    const valued = opinion.rows.some((row) => row.points !== null);
    return { ...opinion, rows, valued };
  });
  const body = order.map(({ action, label }) => make("tr", null,
    make("th", { scope: "row", "aria-label": label }, brief(action, label)),
    cells.flatMap(({ rows, valued, choice }) => {
      const row = rows.get(action);
      const best = row.label === choice ? ".best" : "";
      const spread = row.spread === null ? null : `spread from world to world ${row.spread.toFixed(2)}`;
      return [make(`td.share${best}`, null, `${Math.round(100 * row.share)} %`),
        valued && make(`td.worth${best}`, { title: spread }, row.points === null ? "" : signed(row.points.toFixed(1)))];
    })));
  const notes = cells.filter((opinion) => opinion.note).map((opinion) => make("p.note", null, `${opinion.agent}: ${opinion.note}`));
  const worlds = cells.filter((opinion) => opinion.worlds).map((opinion) => `${opinion.agent} looked at ${opinion.worlds} worlds. `);
  at("hint-body").replaceChildren(
    make("table", null,
      make("thead", null,
        make("tr", null, make("th"), cells.map(({ agent, valued }) => make("th", { colspan: valued ? 2 : 1, title: agent }, agent))),
        make("tr", null, make("th", null, "action"), cells.flatMap(({ valued }) => [make("th", null, "likely"), valued && make("th", null, "points")]))),
      make("tbody", null, body)),
    ...notes,
    ...(cells.some(({ valued }) => valued) ? [make("p", null, ...worlds, "Points: what is expected, your side\u2019s less theirs.")] : []));
}

// ---- replay --------------------------------------------------------------------------------------

// deal: 0 for the last one. step: where to begin. lost: what its choices lost, if that is known.
async function openReplay(deal, step, lost) {
  if (!state.finished) return showError("No deal is finished yet.");
  skip();
  closeHint();
  try {
    const answer = await ask(`replay?deal=${deal || state.finished}`);
    replaying = { ...answer, at: 0, lost: lost || analysed.get(answer.deal) };
  } catch (error) {
    return showError(error.message);
  }
  document.body.classList.add("replaying");
  const slider = make("input", { type: "range", id: "step", min: 0, max: replaying.steps.length - 1, value: 0, "aria-label": "step of the deal" });
  const button = (what, sign, label) => make("button", { type: "button", "data-do": what, "aria-label": label }, sign);
  const deals = make("select", { id: "deal", "aria-label": "finished deal" },
    Array.from({ length: state.finished }, (_, i) => make("option", { value: i + 1, selected: i + 1 === replaying.deal }, `deal ${i + 1}`)));
  at("steps").replaceChildren(deals, button("step-back", "\u2039", "one step back"), slider, button("step-on", "\u203a", "one step on"), make("output", { id: "count" }),
    make("button", { type: "button", "data-do": "analysis" }, "Analysis"),
    make("button.main", { type: "button", "data-do": "close-replay" }, "Close"));
  at("steps").hidden = false;
  at("choices").replaceChildren();
  showStep(step || 0);
  slider.focus();
}

function showStep(n) {
  replaying.at = Math.max(0, Math.min(replaying.steps.length - 1, n));
  const step = replaying.steps[replaying.at];
  const own = replaying.seat;
  mark(step.table, false);
  looked = 0;
  drawTable(step.table, own, state.levels, step.won_by ? step : { ...step, won_by: null }, null);
  drawHand(step.table, own, [], [], false);
  const next = replaying.lost && replaying.lost.choices.find((choice) => choice.at === replaying.at && isLost(choice));
  const words = `${step.words}${step.won_by ? `. ${who(step.won_by, own)} won the trick` : ""}`;
  const count = `${replaying.at} of ${replaying.steps.length - 1}`;
  if (next) markChoice(next);
  at("step").value = replaying.at;
  at("step").setAttribute("aria-valuetext", `${count}: ${words}`);
  at("count").textContent = count;
  at("status").replaceChildren(make("p.prompt", null, next ? lossWords(next) : words));
}

function closeReplay() {
  replaying = null;
  looked = 0;
  document.body.classList.remove("replaying");
  at("steps").hidden = true;
  at("steps").replaceChildren();
  rest();
}

// ---- new game and help ---------------------------------------------------------------------------

const OTHER = "by name";

function fillNewGame() {
  const form = at("new-form");
  form.elements.preset.replaceChildren(...Object.keys(LISTS.presets).map((name) => make("option", { value: name }, name)));
  for (const name of ["partner", "opponents"]) {
    form.elements[name].replaceChildren(
      ...LISTS.opponents.map(({ level, agent }) => make("option", { value: agent }, level)),
      make("option", { value: OTHER }, "by name, below"));
  }
  at("agents").replaceChildren(...LISTS.agents.map((name) => make("option", { value: name })));
  form.addEventListener("change", explainChoices);
  at("trumps").replaceChildren(...["Jo", "JH", "JD", "AH", "KH", "QH", "TH", "9H"].map((name) => card(name, "tiny")));
  at("presets").replaceChildren(...Object.entries(LISTS.presets).flatMap(([name, { words }]) => [make("dt", null, name), make("dd", null, words)]));
}

function openNewGame() {
  const form = at("new-form").elements;
  form.seat.value = state.seat;
  const partner = state.agents[seatAt(2, state.seat)];
  const others = [seatAt(1, state.seat), seatAt(3, state.seat)].map((seat) => state.agents[seat]);
  const offered = (name) => LISTS.opponents.some(({ agent }) => agent === name);
  form.partner.value = offered(partner) ? partner : OTHER;
  form.opponents.value = others[0] === others[1] && offered(others[0]) ? others[0] : OTHER;
  for (const seat of SEATS) form[seat].value = "";
  if (form.partner.value === OTHER) form[seatAt(2, state.seat)].value = partner;
  if (form.opponents.value === OTHER) [1, 3].forEach((place, i) => (form[seatAt(place, state.seat)].value = others[i]));
  form.practice.checked = state.practice;
  form.preset.value = state.preset || form.preset.value || "standard";
  form.target.value = state.table.target;
  form.seed.value = "";
  at("new-error").textContent = "";
  at("more").open = [form.partner.value, form.opponents.value].includes(OTHER);
  explainChoices();
  at("new").showModal();
}

// What is chosen, in words, and the seats that agents take.
function explainChoices() {
  const form = at("new-form").elements;
  at("preset-words").textContent = LISTS.presets[form.preset.value].words;
  for (const name of ["partner", "opponents"]) {
    const offer = LISTS.opponents.find(({ agent }) => agent === form[name].value);
    at(`${name}-words`).textContent = offer ? offer.words : "";
    if (!offer) at("more").open = true;
  }
  for (const label of document.querySelectorAll("[data-seat]")) label.hidden = label.dataset.seat === form.seat.value;
}

function seatedAgents(form) {
  const own = form.seat.value;
  const agents = {};
  for (const place of [1, 2, 3]) {
    const seat = seatAt(place, own);
    const level = place === 2 ? form.partner.value : form.opponents.value;
    agents[seat] = form[seat].value.trim() || (level === OTHER ? "" : level);
    if (!agents[seat]) throw new Error(`Name an agent for ${NAMES[seat]}.`);
  }
  return agents;
}

async function begin() {
  const form = at("new-form").elements;
  if (!at("new-form").reportValidity()) return;
  const target = Number(form.target.value);
  const rules = target === 10 ? form.preset.value : { ...LISTS.presets[form.preset.value].rules, target };
  at("new-error").textContent = "";
  try {
    const answer = await ask("new", {
      position: state.position, rules, seat: form.seat.value, agents: seatedAgents(form),
      seed: form.seed.value ? Number(form.seed.value) : null, practice: form.practice.checked,
    });
    at("new").close();
    skip();
    analysed.clear();
    receive(answer);
  } catch (error) {
    at("new-error").textContent = error.message;
    await refresh();
  }
}

function openHelp() {
  at("help-note").textContent = "";
  at("help-about").textContent = about();
  at("help").showModal();
}

async function save() {
  try {
    at("help-note").textContent = (await ask("save", {})).told;
  } catch (error) {
    at("help-note").textContent = error.message;
  }
}
