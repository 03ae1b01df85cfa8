// The state that the server sends, shown one action after the other, and the requests of the person.

const LISTS = JSON.parse(at("lists").textContent);
let state = null; // the last that was received
let last = -1; // the position of the last action shown
let queue = []; // actions still to be shown
let timer = 0; // of the action being shown
let stuck = false; // an agent has failed and may be asked again
let asked = 0; // requests on their way that change the game
let replaying = null; // the finished deal looked at and the step of it
let held = ""; // the button that had the focus before the table was drawn again
let gone = false; // the server no longer answers
let notice = ""; // the last sentence about where the game is kept

// ---- asking the server ---------------------------------------------------------------------------

async function ask(what, parts) {
  const how = parts === undefined ? {} :
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(parts) };
  let answer;
  try {
    answer = await fetch(what, { ...how, cache: "no-store", credentials: "same-origin" });
  } catch {
    lost(true);
    throw new Error("the program does not answer: is hpenv play --web still running?");
  }
  lost(false);
  const received = await answer.json();
  if (!answer.ok) throw new Error(received.error);
  return received;
}

function lost(now) {
  if (now && !gone) showError("The program does not answer: is hpenv play --web still running?", true);
  if (!now && gone) at("error").hidden = true;
  gone = now;
}

// Ask for a change of the game; after an error the page says it and shows the game as it is.
async function change(what, parts) {
  if (asked) return;
  asked += 1;
  try {
    receive(await ask(what, { position: state.position, ...parts }));
    stuck = false;
  } catch (error) {
    await refresh(); // so that the sentence stands beside what holds
    stuck = thinking();
    if (stuck && !timer && !replaying) rest();
    if (!gone) showError(error.message);
  } finally {
    asked -= 1;
  }
}

async function refresh() {
  try {
    const received = await ask(state ? `state?since=${state.position}` : "state");
    if (received.table) receive(received);
  } catch (error) {
    if (!gone) showError(error.message, true);
  }
}

function keepUp() {
  const wait = document.hidden ? 5000 : asked || (state && thinking()) ? 250 : 1200;
  setTimeout(async () => {
    await refresh();
    keepUp();
  }, wait);
}

const thinking = () => !state.deal_is_over && !state.legal.length;

// ---- showing -------------------------------------------------------------------------------------

function receive(received) {
  if (state && received.position <= state.position) return;
  const first = !state;
  state = received;
  if (!gone) at("error").hidden = true;
  if (received.notice !== notice) showError((notice = received.notice), true);
  closeHint();
  if (first) stuck = thinking();
  const fresh = first ? [] : received.frames.filter((frame) => frame.position > last);
  last = received.position;
  if (!fresh.length) queue = []; // taken back, or dealt again
  queue.push(...fresh);
  if (!timer || !fresh.length) showNext();
}

function pace() {
  return Number(at("pace").value);
}

// How far the deal is, for the style.
function mark(table, over) {
  document.body.classList.toggle("bidding", !table.is_play && !table.widow.taken);
  document.body.classList.toggle("unplayed", !table.is_play);
  document.body.classList.toggle("over", over);
}

function showNext() {
  clearTimeout(timer);
  timer = 0;
  holdFocus();
  const frame = queue.shift();
  if (replaying) return void (queue = []);
  if (!frame) return rest();
  announce(frame);
  if (!pace()) return showNext();
  document.body.classList.add("busy");
  mark(frame.table, false);
  drawTable(frame.table, state.seat, state.agents, frame);
  drawHand(frame.table, state.seat, [], [], false);
  at("status").replaceChildren(make("p.prompt", null, frame.won_by ? `${NAMES[frame.won_by]} won the trick` : frame.words));
  at("choices").replaceChildren(make("button.quiet", { type: "button", "data-do": "skip", "data-at": "skip" }, "Skip", make("kbd", { "aria-hidden": "true" }, "Esc")));
  timer = setTimeout(showNext, (frame.seat === state.seat ? 0.5 : 1) * pace() + (frame.won_by ? 0.9 * pace() : 0));
}

function skip() {
  if (!timer) return false;
  clearTimeout(timer);
  queue.forEach(announce);
  queue = [];
  rest();
  return true;
}

function announce(frame) {
  const words = [frame.words, ...(frame.won_by ? [`${NAMES[frame.won_by]} won the trick`] : [])];
  say(words.join(". "));
}

function say(words) {
  const log = at("events");
  log.append(make("p", null, words));
  while (log.childElementCount > 40) log.firstElementChild.remove();
}

// The table as it is now, ready for what the person does.
function rest() {
  timer = 0;
  document.body.classList.remove("busy");
  holdFocus();
  const { table, seat } = state;
  document.body.dataset.position = state.position;
  document.title = state.prompt ? "Your turn \u00b7 Hasenpfeffer" : "Hasenpfeffer";
  mark(table, state.deal_is_over);
  drawTable(table, seat, state.agents, null);
  drawHand(table, seat, state.legal, state.choices, true);
  at("about").textContent = about();
  at("b-undo").hidden = !state.practice;
  at("b-undo").disabled = !state.can_undo;
  at("b-hint").hidden = !state.hints.length;
  at("b-hint").disabled = !state.legal.length;
  at("b-replay").disabled = !state.finished;
  if (state.deal_is_over) showResult();
  else showTurn();
  if (held && document.activeElement === document.body) focusOn(held);
  held = "";
}

// What is drawn again loses the focus: remember where it was.
function holdFocus() {
  const { at: name } = document.activeElement.dataset;
  if (name) held = name;
}

function about() {
  const rules = typeof state.rules === "string" ? state.rules :
    Object.entries(state.rules).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`).join(", ");
  return `You are ${NAMES[state.seat]} \u00b7 ${rules}${state.practice ? " \u00b7 practice" : ""}${state.seed === null ? "" : ` \u00b7 seed ${state.seed}`}`;
}

function showTurn() {
  const due = state.prompt ? `Your turn: ${state.prompt}` : `${state.table.status} \u2026`;
  at("status").replaceChildren(make("p.prompt", null, due), make("p.small.situation", null, state.table.situation));
  const buttons = drawButtons(state.choices);
  if (stuck && !state.legal.length) {
    buttons.push(make("button.quiet", { type: "button", "data-do": "next", "data-at": "go on" }, "Go on"));
  }
  at("choices").replaceChildren(...buttons);
  say(state.table.situation ? `${due}. ${state.table.situation}` : due);
}

function showResult() {
  const [head, ...rows] = state.result;
  const over = state.game_is_over;
  const ending = over ? rows.pop() : null;
  at("middle").replaceChildren(make("div.result", null,
    ending && make("h2.ending", null, ending),
    make(ending ? "p" : "h2", null, head),
    rows.map((row) => make("p", null, row)),
    openCards()));
  at("status").replaceChildren(make("p.prompt", null, over ? "The game is over" : "The deal is over"));
  at("choices").replaceChildren(
    over ? make("button.choice.main", { type: "button", "data-do": "open-new", "data-at": "next" }, "New game", make("kbd", { "aria-hidden": "true" }, "g")) :
      make("button.choice.main", { type: "button", "data-do": "next", "data-at": "next" }, "Next deal", make("kbd", { "aria-hidden": "true" }, "n")),
    make("button.choice.quiet", { type: "button", "data-do": "replay", "data-at": "replay" }, "Replay", make("kbd", { "aria-hidden": "true" }, "r")));
  say(state.result.join(" "));
}

function openCards() {
  const open = state.open;
  const rows = [...SEATS].map((seat) => make("tr", null,
    make("th", { scope: "row" }, NAMES[seat]),
    make("td", null, open.hands[seat] ? open.hands[seat].map((name) => card(name, "tiny")) : "stays hidden")));
  for (const name of ["widow", "discard"]) {
    if (open[name]) rows.push(make("tr", null, make("th", { scope: "row" }, name), make("td", null, card(open[name], "tiny"))));
  }
  return make("table.open", null,
    make("caption", null, state.practice ? "the hands as dealt" : "the cards held in the play"), make("tbody", null, rows));
}

function showError(sentence, stays) {
  const box = at("error");
  box.textContent = sentence;
  box.hidden = false;
  clearTimeout(showError.timer);
  if (!stays) showError.timer = setTimeout(() => (box.hidden = true), 7000);
}
