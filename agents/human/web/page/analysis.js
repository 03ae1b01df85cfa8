// The score sheet, and what the choices of a finished deal lost.

const analysed = new Map(); // what is known of each deal, by its number

const isLost = (choice) => choice.lost_known > 0 || choice.lost_open > 0;
const lessPoints = (points) => (points > 0 ? `\u2212${points.toFixed(1).replace(/\.0$/, "")}` : "0");

// ---- score sheet ---------------------------------------------------------------------------------

function openSheet() {
  const ours = sideOf(state.seat);
  const rows = state.sheet.map((line, i) => make("tr", null,
    make("td.text", null, `${i + 1}`),
    make("td.text", null, line.maker ? `${who(line.maker, state.seat)}: ${line.bid}` : line.bid),
    make("td", null, line.maker ? `${line.took}` : ""),
    make(`td.text${line.maker && !line.made ? ".was-set" : ""}`, null, line.maker ? (line.made ? "made" : "set") : ""),
    [ours, 1 - ours].map((side) => make("td", null, signed(line.points[side]))),
    make("td", null, `${line.score[ours]} : ${line.score[1 - ours]}`.replaceAll("-", "\u2212")),
    make("td", null, make("button", { type: "button", "data-do": "analysis", "data-deal": i + 1, "aria-label": `analysis of deal ${i + 1}` }, "Analysis"))));
  at("sheet-body").replaceChildren(rows.length ? make("table", null,
    make("thead", null, make("tr", null,
      make("th.text", null, "deal"), make("th.text", null, "bid"), make("th", null, "took"), make("th.text"),
      make("th", null, "you"), make("th", null, "they"), make("th", null, "score"), make("th"))),
    make("tbody", null, rows)) : make("p", null, "No deal is finished yet."));
  at("sheet-note").textContent = "";
  if (!at("sheet").open) at("sheet").showModal();
}

async function downloadRecords() {
  const answer = await fetch("records", { cache: "no-store" });
  if (!answer.ok) {
    at("sheet-note").textContent = (await answer.json()).error;
    return;
  }
  const url = URL.createObjectURL(await answer.blob());
  make("a", { href: url, download: "hasenpfeffer.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// ---- analysis ------------------------------------------------------------------------------------

async function openAnalysis(deal) {
  if (!state.finished) return showError("No deal is finished yet.");
  for (const open of document.querySelectorAll("dialog[open]")) open.close();
  const window = at("analysis");
  at("analysis-title").textContent = `Deal ${deal}: what each choice lost`;
  at("analysis-body").replaceChildren(make("p", null, "The deal is being looked at \u2026"));
  window.showModal();
  try {
    const found = await ask(`analysis?deal=${deal}`);
    analysed.set(deal, found);
    if (replaying && replaying.deal === deal) replaying.lost = found;
    drawAnalysis(found);
  } catch (error) {
    at("analysis-body").replaceChildren(make("p", null, error.message));
  }
}

function drawAnalysis(found) {
  const byPlace = new Map(found.choices.map((choice) => [choice.at, choice]));
  const worst = found.worst.map((place) => moment(found, byPlace.get(place)));
  const seats = SEATS.split("").filter((seat) => found.is_open || seat === state.seat);
  at("analysis-body").replaceChildren(
    make("p.small", null, found.is_open
      ? "Points lost against what could be known: estimated by pimc, with no more than the seat saw. With all hands open: against the best play of all cards."
      : "Your own choices, in points lost against what you could know, estimated by pimc. The other seats and the open hands follow when the game is over, or after each deal of a game for practice."),
    make("h3", null, worst.length > 1 ? `The worst ${worst.length}` : "The worst"),
    ...(worst.length ? worst : [make("p", null, "No choice has lost anything.")]),
    make("h3", null, "By seat"),
    lossTable(found, "seat", seats.map((seat) => make("tr", null, make("td.text", null, who(seat, state.seat)), losses(found, ...found.totals[seat])))),
    make("h3", null, "Every choice"),
    lossTable(found, "choice", found.choices.map((choice) => make(`tr${isLost(choice) ? "" : ".none"}`, null,
      make("td.text", null, choice.words, isLost(choice) && betterWords(choice)), losses(found, choice.lost_open, choice.lost_known),
      make("td", null, make("button", { type: "button", "data-do": "moment", "data-deal": found.deal, "data-step": choice.at, "aria-label": `see: ${choice.words}` }, "see"))))));
}

function lossTable(found, what, rows) {
  return make("table", null,
    make("thead", null, make("tr", null, make("th.text", null, what), make("th", null, "as known"), found.is_open && make("th", null, "open hands"), what === "choice" && make("th"))),
    make("tbody", null, rows));
}

const losses = (found, open, known) => [
  make("td", null, lessPoints(known)), found.is_open && make("td", null, open === null ? "" : lessPoints(open))];

const whenWords = (choice) => (choice.trick ? `Trick ${choice.trick}` : "Before the play");

function betterWords(choice) {
  if (choice.lost_known > 0) return `; better: ${choice.best_words}`;
  return `; better with open hands: ${choice.best_open.map((action) => (action in CARDS ? cardName(action) : action)).join(" or ")}`;
}

function moment(found, choice) {
  return make("button.moment", { type: "button", "data-do": "moment", "data-deal": found.deal, "data-step": choice.at },
    make("span.what", null, choice.words), make("span.small", null, `${whenWords(choice)}${betterWords(choice)}`),
    make("span.loss", null, `${lessPoints(choice.lost_known)}`, found.is_open && choice.lost_open !== null && make("span.small", null, ` open ${lessPoints(choice.lost_open)}`)));
}

// The choice in a replay: the table before it, the card chosen and the better one outlined.
function markChoice(choice) {
  const better = choice.lost_known > 0 ? [choice.best_known] : choice.best_open;
  for (const element of document.querySelectorAll("[data-card]")) {
    const name = element.dataset.card;
    if (name === choice.action) element.classList.add("did");
    if (better.includes(name)) element.classList.add("better");
  }
}

function lossWords(choice) {
  const points = choice.lost_known > 0 ? choice.lost_known : choice.lost_open;
  return `${choice.words}: ${lessPoints(points)}${betterWords(choice)}`;
}
