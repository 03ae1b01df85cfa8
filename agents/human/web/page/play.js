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
    else state.is_ready = received.is_ready;
    showReadiness();
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
  if (state && received.finished < state.finished) analysed.clear(); // taken back, or another game
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

// With the pace "click" a finished trick stays until the person clicks or presses Escape.
function pace() {
  return at("pace").value === "click" ? 750 : Number(at("pace").value);
}

const staysUntilClick = (frame) => frame.won_by && at("pace").value === "click";

// The first hint waits until the agents are loaded and compiled.
function showReadiness() {
  at("about").textContent = about();
  at("b-hint").title = state.is_ready ? "What agents would do (h)" : "The agents are getting ready: they compile once";
}

// How far the deal is, for the style.
function mark(table, over) {
  document.body.classList.toggle("asking", !table.is_play && !over);
  at("ending").hidden = !over;
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
  drawTable(frame.table, state.seat, state.levels, frame, null);
  drawHand(frame.table, state.seat, [], [], false);
  at("choices").replaceChildren();
  const stays = staysUntilClick(frame);
  at("status").replaceChildren(
    make("p.prompt", null, frame.won_by ? wonWords(frame) : frame.words),
    make("button.quiet", { type: "button", "data-do": "skip", "data-at": "skip" }, stays ? "Go on" : "Skip", make("kbd", { "aria-hidden": "true" }, "Esc")));
  const shown = (frame.seat === state.seat ? 0.5 : 1) * pace() + (frame.won_by ? 0.9 * pace() : 0);
  timer = setTimeout(showNext, stays ? FOR_EVER : shown);
}

const FOR_EVER = 2 ** 31 - 1; // milliseconds
const wonWords = (frame) => `${who(frame.won_by, state.seat)} won the trick`;

function skip() {
  if (!timer) return false;
  if (at("pace").value === "click") return showNext(), true;
  clearTimeout(timer);
  queue.forEach(announce);
  queue = [];
  rest();
  return true;
}

function announce(frame) {
  const words = [frame.words, ...(frame.won_by ? [wonWords(frame)] : [])];
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
  drawTable(table, seat, state.levels, null, state.open);
  const shown = state.open ? { ...table, hands: { ...table.hands, [seat]: state.open.hands[seat] } } : table;
  drawHand(shown, seat, state.legal, state.choices, true);
  at("b-undo").hidden = !state.practice;
  at("b-undo").disabled = !state.can_undo;
  at("b-hint").hidden = !state.hints.length;
  at("b-hint").disabled = !state.legal.length;
  at("b-replay").disabled = at("b-sheet").disabled = !state.finished;
  showReadiness();
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
  return `${NAMES[state.seat]} is your seat \u00b7 ${state.rules_words}${state.practice ? " \u00b7 practice" : ""}${state.seed === null ? "" : ` \u00b7 seed ${state.seed}`}${state.is_ready ? "" : " \u00b7 hints are getting ready: they compile once \u2026"}`;
}

function showTurn() {
  const due = state.prompt || `${state.table.waiting} \u2026`;
  at("status").replaceChildren(make("p.prompt", null, due));
  const buttons = drawButtons(state.choices);
  if (stuck && !state.legal.length) {
    buttons.push(make("button.quiet", { type: "button", "data-do": "next", "data-at": "go on" }, "Go on"));
  }
  at("choices").replaceChildren(...buttons);
  say(due);
}

function showResult() {
  const over = state.game_is_over;
  const lines = [...state.result];
  const ending = over ? lines.pop() : null;
  at("laid").replaceChildren();
  at("choices").replaceChildren();
  const result = make("div.result", null,
    ending && make("p.ending", null, ending), lines.map((line) => make("p", null, line)));
  at("status").replaceChildren(make("p.prompt", null, over ? "The game is over" : "The deal is over"));
  const button = (look, what, words, key) =>
    make(`button.choice.${look}`, { type: "button", "data-do": what, "data-at": what, "aria-keyshortcuts": key }, words, make("kbd", { "aria-hidden": "true" }, key));
  at("ending").replaceChildren(result, make("div.row", null,
    over ? button("main", "open-new", "New game", "g") : button("main", "next", "Next deal", "n"),
    button("quiet", "analysis", "Analysis", "a"), button("quiet", "replay", "Replay", "r")));
  say(state.result.join(" "));
}

function showError(sentence, stays) {
  const box = at("error");
  box.textContent = sentence;
  box.hidden = false;
  clearTimeout(showError.timer);
  if (!stays) showError.timer = setTimeout(() => (box.hidden = true), 7000);
}
