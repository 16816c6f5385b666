"use strict";
// Lists, filters and shows the cases of the report; everything it needs is in #data, nothing is fetched.
const report = JSON.parse(document.getElementById("data").textContent);
const STEP = 100;
const filters = ["text", "module", "clause", "status", "implementation"];
const field = (name) => document.getElementById(`filter-${name}`);
let shown = STEP;

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function badge(status, text = status) {
  return make("span", { class: `status ${report.tones[status] ?? "bad"}` }, text);
}

function options(name, values, all) {
  field(name).replaceChildren(
    make("option", { value: "" }, all),
    ...values.map(([value, text]) => make("option", { value }, text)),
  );
}

function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true })).map(([v, n]) => [v, `${v} (${n})`]);
}

function prepare() {
  const answers = report.cases.flatMap((one) => one.answers);
  options("module", counted(report.cases.map((one) => one.module)), "all modules");
  options("clause", counted(report.cases.flatMap((one) => one.clauses)), "all clauses");
  options("status", [["wrong", "everything wrong"], ...counted(answers.map((one) => one.status))], "all statuses");
  options("implementation", counted(answers.map((one) => one.implementation)), "all implementations");
}

// The address keeps the filters, so that a view can be sent to somebody.
function readAddress() {
  const kept = new URLSearchParams(location.hash.slice(1));
  for (const name of filters) field(name).value = kept.get(name) ?? "";
}

function writeAddress() {
  const kept = new URLSearchParams(filters.map((name) => [name, field(name).value]).filter(([, value]) => value));
  history.replaceState(null, "", kept.size ? `#${kept}` : location.pathname + location.search);
}

function takes(one, answer, wanted) {
  if (wanted.implementation && answer.implementation !== wanted.implementation) return false;
  if (wanted.status === "wrong" ? !answer.counts : wanted.status && answer.status !== wanted.status) return false;
  return !wanted.text || `${one.id} ${one.operation} ${one.summary} ${answer.message}`.toLowerCase().includes(wanted.text);
}

function selected() {
  const wanted = Object.fromEntries(filters.map((name) => [name, field(name).value]));
  wanted.text = wanted.text.trim().toLowerCase();
  const found = [];
  for (const one of report.cases) {
    if (wanted.module && one.module !== wanted.module) continue;
    if (wanted.clause && !one.clauses.includes(wanted.clause)) continue;
    const answers = one.answers.filter((answer) => takes(one, answer, wanted));
    if (answers.length) found.push([one, answers]);
  }
  const wrong = ([, answers]) => answers.some((answer) => answer.counts);
  return [...found.filter(wrong), ...found.filter((entry) => !wrong(entry))];
}

function terms(pairs) {
  return make("dl", {}, ...pairs.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function command(text) {
  const button = make("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  });
  return make("div", { class: "command" }, make("pre", { class: "again" }, text), button);
}

function text(title, value) {
  return make("div", {}, make("h4", {}, title), make("pre", {}, value));
}

const SVG = "http://www.w3.org/2000/svg";
function draw(tag, attributes, content) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (content !== undefined) node.textContent = content;
  return node;
}

// The pages over the ranking: a cell a place, neighbours in the same shade are on one page; marks for lost and repeated.
function pagesPicture(table) {
  const width = 720, height = 30, cell = width / Math.max(table.full, 1);
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", width });
  const pageOf = new Map(), again = new Set();
  table.pages.forEach((page, number) => page.forEach((place) => {
    if (pageOf.has(place)) again.add(place);
    else pageOf.set(place, number);
  }));
  let lost = 0;
  for (let place = 0; place < table.full; place += 1) {
    const page = pageOf.get(place);
    if (page === undefined) lost += 1;
    const kind = page === undefined ? "page-lost" : again.has(place) ? "page-again" : page % 2 ? "page-b" : "page-a";
    picture.append(draw("rect", { x: place * cell, y: 0, width: Math.max(cell - 0.4, 0.6), height: 14, class: kind }));
  }
  const told = `page size ${table.size}: ${table.full} places on ${table.pages.length} pages, ${lost} lost, ${again.size} repeated`;
  picture.append(draw("title", {}, told), draw("text", { x: 0, y: 26 }, told));
  return picture;
}

function answerBody(one, answer) {
  const box = make("div", { class: "answer" }, make("h3", {}, `${answer.implementation} `, badge(answer.status)));
  box.append(terms([["first wrong stage", answer.stage], ["message", answer.message], ["look at", answer.files.join(", ")], ["distance", answer.ulp]]));
  if (answer.details.length) box.append(make("pre", { class: "details" }, answer.details.join("\n")));
  if (answer.evidence) {
    box.append(text("Input", answer.evidence.input));
    box.append(make("div", { class: "both" }, text("Expected", answer.evidence.expected), text("Got", answer.evidence.got)));
  }
  if (answer.pages.length) box.append(make("div", { class: "pages" }, make("h4", {}, "Pages over the ranking"), ...answer.pages.map(pagesPicture)));
  if (answer.status !== "pass") box.append(make("h4", {}, "Run it again"), command(answer.again));
  return box;
}

function row(one, answers) {
  const head = make("summary", {}, make("code", {}, one.id), make("span", { class: "about" }, one.summary), ...answers.map((answer) =>
    badge(answer.status, report.implementations.length > 1 ? `${answer.implementation} ${answer.status}` : answer.status)));
  const details = make("details", {}, head);
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    const body = make("div", { class: "body" }, terms([["about", one.summary], ["operation", one.operation], ["clauses", one.clauses.join(", ")]]));
    body.append(...answers.map((answer) => answerBody(one, answer)));
    details.append(body);
  });
  return make("li", { "data-case": one.id }, details);
}

function show() {
  const found = selected();
  const cases = found.slice(0, shown).map(([one, answers]) => row(one, answers));
  document.getElementById("cases").replaceChildren(...cases);
  document.getElementById("count").textContent =
    `${found.length} of ${report.cases.length} cases${found.length > shown ? `, the first ${shown} shown` : ""}`;
  document.getElementById("more").hidden = found.length <= shown;
  writeAddress();
}

function changed() {
  shown = STEP;
  show();
}

prepare();
readAddress();
show();
for (const name of filters) field(name).addEventListener(name === "text" ? "input" : "change", changed);
document.getElementById("more").addEventListener("click", () => { shown += 10 * STEP; show(); });
document.getElementById("filter-none").addEventListener("click", () => { for (const name of filters) field(name).value = ""; changed(); });
window.addEventListener("hashchange", () => { readAddress(); changed(); });
document.getElementById("heat").addEventListener("click", (event) => {
  const button = event.target.closest("button[data-module]");
  if (!button) return;
  field("module").value = button.dataset.module;
  field("clause").value = button.dataset.clause;
  field("status").value = "";
  changed();
  document.getElementById("cases-title").scrollIntoView({ block: "start" });
});
