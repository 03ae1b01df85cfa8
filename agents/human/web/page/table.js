"use strict";
// Drawing the table from the facts of a view. Nothing here asks the server or keeps a state.

const SEATS = "NESW";
const NAMES = { N: "North", E: "East", S: "South", W: "West" };
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SVG = "http://www.w3.org/2000/svg";

const at = (id) => document.getElementById(id);
const sideOf = (seat) => SEATS.indexOf(seat) % 2;
const placeOf = (seat, own) => (SEATS.indexOf(seat) - SEATS.indexOf(own) + 4) % 4;
const seatAt = (place, own) => SEATS[(SEATS.indexOf(own) + place) % 4];
const who = (seat, own) => (seat === own ? "You" : NAMES[seat]);
const sideName = (side, own) => {
  const [first, second] = side === sideOf(own) ? ["You", NAMES[seatAt(2, own)]] : [NAMES[SEATS[side]], NAMES[SEATS[side + 2]]];
  return `${first} and ${second}`;
};
const signed = (points) => (points > 0 ? `+${points}` : `${points}`.replace("-", "\u2212"));

// An element: tag with classes as in "div.seat.top", its attributes, what is in it.
function make(what, attributes, ...inside) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...inside.flat(Infinity).filter((part) => part != null && part !== false));
  return element;
}

function use(id, shape, classes) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", classes);
  svg.setAttribute("viewBox", shape);
  svg.setAttribute("aria-hidden", "true");
  const link = document.createElementNS(SVG, "use");
  link.setAttribute("href", `#${id}`);
  svg.append(link);
  return svg;
}

const cardName = (card) =>
  card === null ? "a card face down" : card === "Jo" ? "Joker" : `${RANKS[card[0]]} of ${SUITS[card[1]]}`;
const cardShape = (card) => use(`card-${card === null ? "back" : card}`, "0 0 100 140", "card");
const suitShape = (suit) => make("span.suit", null, use(`suit-${suit}`, "0 0 22 22", "pip"));

function card(name, ...classes) {
  return make(["span", "laid", ...classes].join("."), { role: "img", "aria-label": cardName(name) }, cardShape(name));
}

// What an action is called where there is little room: `10` and its suit, `Joker`, else its own words.
function brief(action, label) {
  if (!(action in CARDS) || action === "Jo") return [label];
  return [action[0] === "T" ? "10" : action[0], suitShape(action[1])];
}

const CARDS = { Jo: true };
for (const suit of "CDHS") for (const rank of "9TJQKA") CARDS[rank + suit] = true;

// ---- the panels ----------------------------------------------------------------------------------

function drawContract(table, own) {
  const named = table.trump !== null;
  const maker = table.maker && (table.maker === own ? "you" : NAMES[table.maker]);
  at("contract").replaceChildren(
    make("h2", null, named ? "Contract" : "Auction"),
    make("div.contract", null,
      named && make("span.trump", { role: "img", "aria-label": `${SUITS[table.trump]} are trumps` }, suitShape(table.trump)),
      make("div", null,
        make("p.bid", null, table.bid),
        maker && make("p.by", null, `by ${maker}`),
        named && make("p.named", null, make("span.small", null, "trumps "), SUITS[table.trump]))));
}

function drawScore(table, own) {
  const rows = [sideOf(own), 1 - sideOf(own)].map((side) => {
    const needed = table.maker && sideOf(table.maker) === side ? table.level : 0;
    const dots = Array.from({ length: table.hand_size }, (_, i) =>
      make(`i${i < table.won[side] ? ".won" : ""}${i < needed ? ".needed" : ""}`));
    return make(`div.side${sideOf(own) === side ? ".ours" : ""}`, null,
      make("p", null, sideName(side, own)),
      make("p.dots", { role: "img", "aria-label": `${table.won[side]} tricks won${needed ? `, ${needed} needed` : ""}` }, dots),
      make("p.points", { "aria-label": `score ${table.score[side]}` }, `${table.score[side]}`.replace("-", "\u2212")));
  });
  at("score").replaceChildren(make("h2", null, `Deal ${table.deal}, game to ${table.target}`), ...rows);
}

// open: the cards shown after a deal, or null.
function drawFaceDown(table, own, open) {
  const places = [["widow", table.widow], ["discard", table.discard]].map(([name, put]) => {
    const taken = name === "widow" && put.taken;
    const words = taken ? `widow, ${table.maker === own ? "yours" : `${NAMES[table.maker]}\u2019s`}` : name;
    const shown = (open && open[name]) || put.card;
    return make("figure", null,
      put.there ? card(shown, "small", ...(taken && shown === null ? ["gone"] : [])) : make("span.slot.small"),
      make("figcaption", null, words));
  });
  at("face-down").replaceChildren(make("h2", null, "Face down"), make("div.row", null, places));
}

// ---- the seats and the middle --------------------------------------------------------------------

const ANSWERS = ["alone", "with partner"]; // a tag says who plays alone

// open: a hand to be shown in the place of the backs, or null. levels: how well each agent plays.
function drawSeat(table, place, own, levels, open) {
  const seat = seatAt(place, own);
  const hand = open || table.hands[seat] || [];
  const out = table.sitting_out.includes(seat);
  const part = place === 0 ? NAMES[seat] : place === 2 ? `partner, ${levels[seat]}` : levels[seat];
  const calls = table.calls[seat].filter((call) => !ANSWERS.includes(call)).map((call) => make(`span.call${call === "pass" ? ".passed" : ""}`, null, call));
  const voids = table.voids[seat].length > 0 &&
    make("span.call.void", { "aria-label": `void in ${table.voids[seat].map((suit) => SUITS[suit]).join(" and ")}` }, "void", table.voids[seat].map(suitShape));
  const plates = make("div.plates", null,
    make("span.before", null, table.dealer === seat && make("span.dealer", { title: "dealer" }, make("span", { "aria-hidden": "true" }, "D"), make("span.heard", null, "dealer"))),
    make(`span.plate${table.to_act === seat ? ".turn" : ""}`, null, who(seat, own)),
    make("span.after", null,
      table.maker === seat && table.widow.taken && make("span.tag.maker", null, "maker"),
      table.alone.includes(seat) && make("span.tag.alone", null, "alone"),
      out && make("span.tag.out", null, "sits out"),
      place === 0 && [make("span.who", null, part), calls, voids]));
  const held = make(`div.held${out ? ".gone" : ""}${hand.some((name) => name) ? ".open" : ""}`,
    { role: "img", "aria-label": hand.length ? `${hand.length} cards` : "no cards" },
    hand.map((name) => make("span.laid", { "data-card": name }, cardShape(name))));
  const element = at(`seat-${place}`);
  element.setAttribute("aria-label", `${NAMES[seat]}, ${place === 0 ? "you" : part}`);
  element.replaceChildren(...(place === 0 ? [plates] : [plates, held, make("div.said", null, make("span.who", null, part), calls, voids)]));
}

// The trick on the table; a trick that has just been won lies there for as long as it is shown.
function drawMiddle(table, own, frame) {
  if (!table.is_play) {
    at("laid").replaceChildren(...(table.widow.taken ? [] : [make("div.widow", null, card(null))]));
    return;
  }
  const trick = frame && frame.won_by ? table.trick || table.tricks.at(-1) : table.trick;
  const laid = new Map(trick ? trick.cards : []);
  const places = [0, 1, 2, 3].map((place) => {
    const seat = seatAt(place, own);
    const name = laid.get(seat);
    if (name === undefined) {
      return make(`div.place.p${place}`, null, !table.sitting_out.includes(seat) && make("span.slot"));
    }
    const wins = seat === trick.winner ? ["wins"] : [];
    const now = frame && frame.card === name ? [`from${place}`] : [];
    return make(`div.place.p${place}`, null, card(name, ...wins, ...now), trick.cards[0][0] === seat && make("span.led", null, "led"));
  });
  at("laid").replaceChildren(make("div.cross", null, places));
}

// ---- the person's own hand -----------------------------------------------------------------------

function drawHand(table, own, legal, choices, ready) {
  const keys = new Map(choices.map((choice) => [choice.action, choice.key]));
  const some = ready && (table.phase === "play" || table.phase === "discarding");
  const cards = (table.hands[own] || []).map((name) => {
    const may = legal.includes(name);
    const look = !some ? "" : may ? ".may" : ".not";
    const origin = table.maker === own && table.widow.card === name;
    return make(`button.held-card${look}`,
      { type: "button", "data-do": "act", "data-action": name, "data-at": `hand ${name}`, "data-card": name,
        "aria-label": cardName(name) + (origin ? ", from the widow" : "") + (some ? (may ? "" : ", may not be played") : ""),
        "aria-keyshortcuts": some && may ? keys.get(name) : null },
      cardShape(name), origin && make("span.origin", { "aria-hidden": "true" }, "widow"),
      some && may && make("kbd", { "aria-hidden": "true" }, keys.get(name)));
  });
  at("hand").classList.toggle("gone", table.sitting_out.includes(own));
  at("hand").replaceChildren(...cards);
}

function drawButtons(choices) {
  const buttons = choices.filter((choice) => !(choice.action in CARDS));
  at("choices").classList.toggle("few", buttons.length < 5);
  return buttons.map((choice) =>
    make(`button.choice${choice.action === "pass" ? ".quiet" : ""}`,
      { type: "button", "data-do": "act", "data-action": choice.action, "data-at": `choice ${choice.action}`, "aria-keyshortcuts": choice.key },
      choice.action.startsWith("trump ") && suitShape(choice.action.slice(-1)),
      choice.label, make("kbd", { "aria-hidden": "true" }, choice.key)));
}

// open: the cards shown after a deal, or null.
function drawTable(table, own, levels, frame, open) {
  drawContract(table, own);
  drawScore(table, own);
  drawFaceDown(table, own, open);
  drawTricks(table, own);
  for (const place of [0, 1, 2, 3]) drawSeat(table, place, own, levels, open && place !== 0 ? open.hands[seatAt(place, own)] : null);
  drawMiddle(table, own, frame);
}
