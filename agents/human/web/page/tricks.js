// The panel of the finished tricks: the last one, or any before it, for as long as one likes.

let looked = 0; // the number of the trick looked at, 0 for the last
let tricksOf = 0; // the deal they are of
let drawnTricks = null; // the table and the seat last drawn

function drawTricks(table, own) {
  if (table.deal !== tricksOf || looked > table.tricks.length) looked = 0;
  tricksOf = table.deal;
  drawnTricks = [table, own];
  const panel = at("before");
  const trick = table.tricks.at(looked ? looked - 1 : -1);
  if (!trick) {
    panel.replaceChildren(make("h2", null, "Finished tricks"), make("p.small", null, table.is_play ? "none yet" : ""));
    return;
  }
  panel.replaceChildren(
    make("h2", null, `Trick ${trick.number} to ${trick.winner === own ? "you" : NAMES[trick.winner]}`),
    make("div.row", null, trick.cards.map(([seat, name]) =>
      make("figure", null, make("figcaption", null, who(seat, own)), card(name, "small", ...(seat === trick.winner ? ["wins"] : []))))),
    make("div.numbers", { role: "group", "aria-label": "finished tricks" }, table.tricks.map(({ number }) =>
      make("button", { type: "button", "data-do": "trick", "data-trick": number, "data-at": `trick ${number}`, "aria-pressed": `${number === trick.number}`, "aria-label": `trick ${number}` }, `${number}`))));
}

function lookAtTrick(number) {
  holdFocus();
  looked = number;
  drawTricks(...drawnTricks);
  if (held && document.activeElement === document.body) focusOn(held);
  held = "";
}

// One further back each time, and from the first to the last again.
function earlierTrick() {
  const n = drawnTricks ? drawnTricks[0].tricks.length : 0;
  if (!n) return showError("No trick is finished yet.");
  lookAtTrick(((looked || n) + n - 2) % n + 1);
}
