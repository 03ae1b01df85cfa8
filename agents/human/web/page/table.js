"use strict";
// Drawing the table from the facts of a view. Nothing here asks the server or keeps a state.

const SEATS = "NESW";
const NAMES = { N: "North", E: "East", S: "South", W: "West" };
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = { 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SIDES = ["North-South", "East-West"];
const SVG = "http://www.w3.org/2000/svg";

const at = (id) => document.getElementById(id);
const sideOf = (seat) => SEATS.indexOf(seat) % 2;
const placeOf = (seat, own) => (SEATS.indexOf(seat) - SEATS.indexOf(own) + 4) % 4;
const seatAt = (place, own) => SEATS[(SEATS.indexOf(own) + place) % 4];
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
  element.append(...inside.flat().filter((part) => part != null && part !== false));
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

// ---- the panels ----------------------------------------------------------------------------------

function drawContract(table) {
  const named = table.trump !== null;
  const lone = table.alone.map((seat) => NAMES[seat]).join(" and ");
  at("contract").replaceChildren(
    make("h2", null, named ? "Contract" : "Auction"),
    make("div.contract", null,
      named && make("span.trump", { role: "img", "aria-label": `${SUITS[table.trump]} are trump` }, suitShape(table.trump)),
      make("div", null,
        make("p.bid", null, table.bid),
        table.maker && make("p.by", null, `by ${NAMES[table.maker]}`),
        named && make("p.named", null, make("span.small", null, "trump "), SUITS[table.trump]),
        lone && make("p.by.lone", null, `alone: ${lone}`))));
}

function drawScore(table, own) {
  const rows = [0, 1].map((side) => {
    const needed = table.maker && sideOf(table.maker) === side ? table.level : 0;
    const dots = Array.from({ length: table.hand_size }, (_, i) =>
      make(`i${i < table.won[side] ? ".won" : ""}${i < needed ? ".needed" : ""}`));
    return make(`div.side${sideOf(own) === side ? ".ours" : ""}`, null,
      make("p", null, SIDES[side]),
      make("p.dots", { role: "img", "aria-label": `${table.won[side]} tricks won${needed ? `, ${needed} needed` : ""}` }, dots),
      make("p.points", { "aria-label": `score ${table.score[side]}` }, `${table.score[side]}`.replace("-", "\u2212")));
  });
  at("score").replaceChildren(make("h2", null, `Deal ${table.deal}, game to ${table.target}`), ...rows);
}

function drawFaceDown(table) {
  const places = [["widow", table.widow], ["discard", table.discard]].map(([name, put]) => {
    const taken = name === "widow" && put.taken;
    const words = taken ? `taken by ${table.maker}` : name;
    return make("figure", null,
      put.there ? card(put.card, "small", ...(taken ? ["gone"] : [])) : make("span.slot.small"),
      make("figcaption", null, words));
  });
  at("face-down").replaceChildren(make("h2", null, "Widow and discard"), make("div.row", null, places));
}

function drawBefore(table) {
  const trick = table.trick_before;
  const panel = at("before");
  panel.classList.toggle("empty", !trick);
  if (!trick) {
    const turn = table.is_play ? `Trick 1 of ${table.hand_size}` : "Last trick";
    panel.replaceChildren(make("h2", null, turn), make("p.by", null, "none yet"));
    return;
  }
  panel.replaceChildren(
    make("h2", null, `Trick ${trick.number} to ${NAMES[trick.winner]}`),
    make("div.row", null, trick.cards.map(([seat, name]) =>
      make("figure", null, make("figcaption", null, seat), card(name, "small", ...(seat === trick.winner ? ["wins"] : []))))));
}

// ---- the seats and the middle --------------------------------------------------------------------

function drawSeat(table, place, own, agents) {
  const seat = seatAt(place, own);
  const hand = table.hands[seat] || [];
  const out = table.sitting_out.includes(seat);
  const who = place === 0 ? "you" : place === 2 ? `${agents[seat]}, your partner` : agents[seat];
  const plate = make("div.plates", null,
    make(`span.plate${table.to_act === seat ? ".turn" : ""}`, null, NAMES[seat]),
    table.dealer === seat && make("span.dealer", { title: "dealer" }, make("span", { "aria-hidden": "true" }, "D"), make("span.heard", null, "dealer")),
    table.maker === seat && table.widow.taken && make("span.tag.maker", null, "maker"),
    table.alone.includes(seat) && make("span.tag.alone", null, "alone"),
    out && make("span.tag.out", null, "sits out"));
  const calls = table.calls[seat].map((call) => make(`span.call${call === "pass" ? ".passed" : ""}`, null, call));
  const voids = table.voids[seat].length > 0 &&
    make("span.call.void", { "aria-label": `void in ${table.voids[seat].map((suit) => SUITS[suit]).join(" and ")}` }, "void", table.voids[seat].map(suitShape));
  const held = make(`div.held${out ? ".gone" : ""}`,
    { role: "img", "aria-label": hand.length ? `${hand.length} cards` : "no cards" }, hand.map((name) => make("span.laid", null, cardShape(name))));
  const element = at(`seat-${place}`);
  element.setAttribute("aria-label", `${NAMES[seat]}, ${who}`);
  const said = make("div.said", null, place !== 0 && make("span.who", null, who), calls, voids);
  element.replaceChildren(...(place === 0 ? [plate, said] : [plate, held, said]));
}

// The trick on the table; a trick that has just been won lies there for as long as it is shown.
function drawMiddle(table, own, frame) {
  const trick = frame && frame.won_by ? table.trick || table.trick_before : table.trick;
  const laid = new Map(trick ? trick.cards : []);
  const places = [0, 1, 2, 3].map((place) => {
    const seat = seatAt(place, own);
    const name = laid.get(seat);
    if (name === undefined) {
      const empty = table.is_play && !table.sitting_out.includes(seat);
      return make(`div.place.p${place}`, null, empty && make("span.slot"));
    }
    const wins = seat === trick.winner ? ["wins"] : [];
    const now = frame && frame.card === name ? [`from${place}`] : [];
    return make(`div.place.p${place}`, null, card(name, ...wins, ...now), trick.cards[0][0] === seat && make("span.led", null, "led"));
  });
  const words = frame ? frame.words : "";
  const waiting = !table.is_play && make("div.waiting", null,
    !table.widow.taken && card(null), make("p", null, table.widow.taken ? words || table.status : words || "widow"));
  const winner = frame && frame.won_by && make("p.winner", null, `${NAMES[frame.won_by]} won the trick`);
  at("middle").replaceChildren(...(waiting ? [waiting] : [make("div.cross", null, places)]), ...(winner ? [winner] : []));
}

// ---- the person's own hand -----------------------------------------------------------------------

function drawHand(table, own, legal, choices, ready) {
  const keys = new Map(choices.map((choice) => [choice.action, choice.key]));
  const some = ready && (table.phase === "play" || table.phase === "discarding");
  const cards = (table.hands[own] || []).map((name) => {
    const may = legal.includes(name);
    const look = !some ? "" : may ? ".may" : ".not";
    return make(`button.held-card${look}`,
      { type: "button", "data-do": "act", "data-action": name, "data-at": `hand ${name}`,
        "aria-label": cardName(name) + (some ? (may ? "" : ", may not be played") : ""),
        "aria-keyshortcuts": some && may ? keys.get(name) : null },
      cardShape(name), some && may && make("kbd", { "aria-hidden": "true" }, keys.get(name)));
  });
  at("hand").classList.toggle("many", cards.length > 6);
  at("hand").classList.toggle("gone", table.sitting_out.includes(own));
  at("hand").replaceChildren(...cards);
}

function drawButtons(choices) {
  return choices.filter((choice) => !(choice.action in cardNames)).map((choice) =>
    make(`button.choice${choice.action === "pass" ? ".quiet" : ""}`,
      { type: "button", "data-do": "act", "data-action": choice.action, "data-at": `choice ${choice.action}`, "aria-keyshortcuts": choice.key },
      choice.action.startsWith("trump ") && suitShape(choice.action.slice(-1)),
      choice.label, make("kbd", { "aria-hidden": "true" }, choice.key)));
}

const cardNames = { Jo: true };
for (const suit of "CDHS") for (const rank of "9TJQKA") cardNames[rank + suit] = true;

function drawTable(table, own, agents, frame) {
  drawContract(table);
  drawScore(table, own);
  drawFaceDown(table);
  drawBefore(table);
  for (const place of [0, 1, 2, 3]) drawSeat(table, place, own, agents);
  drawMiddle(table, own, frame);
}
