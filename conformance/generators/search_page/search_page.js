"use strict";
// The search page: asks POST /v1/search of the service it came from. Whatever comes from documents is set as text.

const TEXTS = {
  en: {
    skip: "Skip to the results", question: "Question", hint: "What are you looking for?", search: "Search",
    language: "Language", settings: "Settings", filters: "Filters", addFilter: "Add a filter",
    filterNote: "Numbers, true, false and null count as such, unless they stand in \"quotes\"; several values are separated by commas.",
    options: "Options", limit: "Hits on a page", profile: "Profile", weight: "Share of the vector in a rerank",
    minScore: "Lowest score", minCosine: "Lowest cosine", textLeg: "Query of the text leg", ranking: "Order of the candidates",
    fusion: "Fusion of the legs", collapse: "One hit for each", parents: "Parents for their children", diversity: "Diversity",
    context: "Neighbours on each side", others: (count) => `${number(count)} more`, facet: "Count the values of", token: "Bearer token", copy: "This request as code",
    copyCode: "Copy", copied: "Copied", results: "Hits", pages: "Pages", previous: "Previous", next: "Next",
    keys: [["/", "question"], ["j k", "hits"], ["n p", "pages"], ["Esc", "back"]], usual: "default",
    field: "Field", operator: "Condition", value: "Value", remove: "Remove this filter",
    eq: "is", in: "is one of", gte: "is at least", lte: "is at most", gt: "is above", lt: "is below",
    exists: "is there", missing: "is missing",
    searching: "Searching …", nothing: "Nothing was found.", ask: "Ask something, or set a filter to browse.",
    other: "Other words, or a lower score or cosine under Options, may find more.", clearFilters: "Remove all filters",
    shown: (first, last, total, more, ms) => `Hits ${first}–${last} of ${more ? "at least " : ""}${number(total)} in ${ms} ms`,
    behind: (pages) => `There are only ${number(pages)} pages.`,
    page: (one) => `Page ${one}`,
    changed: "The index has changed since the first page.",
    unreachable: "The service cannot be reached.", unauthorized: "This service wants a token; it is set under Options.",
    bm25: "BM25", cosine: "cosine", rerank: "rerank model",
    more: "Show all", less: "Show less", numbers: "How this score came about", score: "score",
  },
  zh: {
    skip: "跳到结果", question: "问题", hint: "想找什么？", search: "搜索",
    language: "语言", settings: "设置", filters: "筛选", addFilter: "添加条件",
    filterNote: "数字、true、false 和 null 按其本义处理，加“英文双引号”则作文本；多个值用逗号分隔。",
    options: "选项", limit: "每页结果数", profile: "检索方式", weight: "重排时向量所占比重",
    minScore: "最低得分", minCosine: "最低余弦相似度", textLeg: "文本一路的查询", ranking: "候选结果的排序",
    fusion: "两路融合方式", collapse: "每个取值只留一条", parents: "以父块代替子块", diversity: "多样性",
    context: "前后各取几块", others: (count) => `另有 ${number(count)} 条`, facet: "统计字段的取值", token: "访问令牌", copy: "以代码表示此请求",
    copyCode: "复制", copied: "已复制", results: "结果", pages: "翻页", previous: "上一页", next: "下一页",
    keys: [["/", "提问"], ["j k", "选择结果"], ["n p", "翻页"], ["Esc", "返回"]], usual: "默认",
    field: "字段", operator: "条件", value: "值", remove: "删除此条件",
    eq: "等于", in: "是其中之一", gte: "不小于", lte: "不大于", gt: "大于", lt: "小于",
    exists: "存在", missing: "不存在",
    searching: "正在搜索……", nothing: "没有找到结果。", ask: "请输入问题，或设置筛选条件来浏览。",
    other: "换个说法，或在“选项”中降低最低得分或余弦相似度，也许能找到更多。", clearFilters: "清除所有筛选条件",
    shown: (first, last, total, more, ms) => `第 ${first}–${last} 条结果，共${more ? "至少 " : " "}${number(total)} 条，用时 ${ms} 毫秒`,
    behind: (pages) => `一共只有 ${number(pages)} 页。`,
    page: (one) => `第 ${one} 页`,
    changed: "自第一页以来，索引已有变化。",
    unreachable: "无法连接到服务。", unauthorized: "此服务需要访问令牌，请在“选项”中填写。",
    bm25: "BM25", cosine: "余弦", rerank: "重排模型",
    more: "显示全文", less: "收起", numbers: "得分的由来", score: "得分",
  },
};
const FIELDS = ["metadata.", "document_name", "doc_id", "kb_id", "id", "keywords", "page_rank", "tags.", "title", "available"];
const OPERATORS = ["eq", "in", "gte", "lte", "gt", "lt", "exists", "missing"];
const ROOT = document.documentElement.dataset.root;
const NAMED = ["id", "doc_id", "document_name", "kb_id", "page_rank", "score"];
const SELECTS = ["profile", "fusion", "text_leg", "ranking"];
const ARRANGED = ["collapse", "parents", "diversity", "context"];
const NEIGHBOURS = 2;

const $ = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const state = {language: "en", asked: null, answer: null, milliseconds: 0, code: "curl", running: null};

function text(key, ...values) {
  const found = TEXTS[state.language][key];
  return typeof found === "function" ? found(...values) : found;
}

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function stored(name, value) {
  try {
    const place = name === "token" ? sessionStorage : localStorage;
    if (value === undefined) return place.getItem(`hybrid-search.${name}`) || "";
    place.setItem(`hybrid-search.${name}`, value);
  } catch { /* without storage nothing is kept */ }
  return "";
}

// --- what is asked

function typed(value) {
  const trimmed = value.trim();
  if (/^(-?\d+(\.\d+)?|true|false|null|".*")$/.test(trimmed)) {
    try { return JSON.parse(trimmed); } catch { return trimmed; }
  }
  return trimmed;
}

function condition(operator, value) {
  if (operator === "eq") return typed(value);
  if (operator === "in") return value.split(/[,，]/).filter((one) => one.trim()).map(typed);
  if (operator === "exists" || operator === "missing") return {exists: operator === "exists"};
  return {[operator]: typed(value)};
}

function filters() {
  const rows = [...document.querySelectorAll(".filter")].map((row) => {
    const [field, operator, value] = row.querySelectorAll("input, select");
    return [field.value.trim(), condition(operator.value, value.value)];
  }).filter(([field]) => field);
  if (rows.length === 0) return null;
  const names = rows.map(([field]) => field);
  if (new Set(names).size === names.length) return Object.fromEntries(rows);
  return {all: rows.map(([field, wanted]) => ({[field]: wanted}))};
}

function request() {
  const body = {question: $("question").value, limit: Number($("limit").value)};
  const wanted = filters();
  if (wanted) body.filters = wanted;
  if (!body.question.trim() && wanted) body.match_all = true;
  if ($("weight").dataset.set) body.vector_similarity_weight = Number($("weight").value);
  for (const name of ["min_score", "min_cosine"]) if ($(name).value !== "") body[name] = Number($(name).value);
  for (const name of SELECTS) if ($(name).value) body[name] = $(name).value;
  for (const name of ARRANGED) {
    const value = $(name).value.trim();
    if (value && !body.match_all) body[name] = $(name).type === "number" ? Number(value) : value;
  }
  const facets = $("facet").value.split(/[,，]/).map((one) => one.trim()).filter((one) => one);
  if (facets.length) Object.assign(body, {facets, facet_limit: 20});
  return {...body, highlight: true, explain: true};
}

// Which page: a number or a cursor of what was asked; nothing: the first page of what the forms ask.
async function ask(which = null, asked = which ? state.asked : request()) {
  const body = {...asked, ...which};
  const token = $("token").value;
  const headers = {"Content-Type": "application/json"};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (state.running) state.running.abort();
  const running = state.running = new AbortController();
  tell("searching");
  const begun = performance.now();
  try {
    const response = await fetch(`${ROOT}/v1/search`, {method: "POST", headers, body: JSON.stringify(body), signal: running.signal});
    const answer = await response.json();
    if (!response.ok) return refuse(response.status, answer.error || {});
    Object.assign(state, {answer, asked, which, milliseconds: Math.round(performance.now() - begun)});
    $("problem").hidden = true;
    remember();
    show();
    if (which || state.moved) $("results").focus({preventScroll: true});
    state.moved = true;
    window.scrollTo({top: 0});
  } catch (problem) {
    if (problem.name !== "AbortError") refuse(0, {message: text("unreachable")});
  }
}

function refuse(status, problem) {
  state.answer = null;
  $("problem").textContent = status === 401 ? text("unauthorized") : `${problem.message}`;
  $("problem").hidden = false;
  show();
  $("told").replaceChildren();
  if (status === 401) {
    $("tuning").open = true;
    $("token").focus();
  }
}

// --- what is shown

function tell(key, ...values) {
  $("told").replaceChildren(element("p", {textContent: text(key, ...values)}));
}

const UNESCAPED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&#x27;": "'"};

// A highlight marks matches by <em> and is escaped otherwise: its pieces become text and <mark>.
function marked(highlight) {
  return highlight.split(/<em>(.*?)<\/em>/s).map((piece, place) => {
    const plain = piece.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (entity) => UNESCAPED[entity]);
    return place % 2 ? element("mark", {textContent: plain}) : document.createTextNode(plain);
  });
}

const short = (value) => (typeof value === "number" && !Number.isInteger(value) ? value.toFixed(4) : String(value));

// What the formula of a page multiplies the normalised scores of text and vector by; nothing where it does not say.
function weightsOf(explained) {
  const {legs, formula = ""} = explained;
  if (legs) {
    const whole = formula.endsWith("/ highest") ? legs.highest : 1;
    const weight = (leg) => (leg.weight * leg.first_share) / whole;
    return {bm25: weight(legs.text), cosine: weight(legs.dense)};
  }
  if (formula.startsWith("term_similarity")) return {bm25: 1, cosine: 0};
  return {bm25: explained.tkweight, cosine: explained.vtweight};
}

// The parts of a score that its two legs have.
function partsOf(hit, explained) {
  const weights = weightsOf(explained);
  return {bm25: weights.bm25 * hit.scores.text || 0, cosine: weights.cosine * hit.scores.vector || 0};
}

function bar(parts, scale) {
  const shown = Object.entries(parts).filter(([, value]) => value > 0);
  const made = element("div", {className: "parts", "aria-hidden": "true"});
  for (const [name, value] of shown) {
    const part = element("span", {className: `part ${name}`});
    part.style.width = `${(100 * value) / scale}%`;
    made.append(part);
  }
  return made;
}

// The raw scores, which are the legend of the bars above them; they open to all there is to tell.
function legend(hit) {
  const kinds = ["bm25", "cosine", "rerank"].filter((name) => hit.scores[name] !== null).map((name) =>
    element("span", {className: "kind"}, element("i", {className: name}), `${text(name)} `, element("b", {textContent: short(hit.scores[name])})));
  return element("summary", {}, ...kinds, element("span", {className: "how", textContent: text("numbers")}));
}

function numbers(hit, explained) {
  const rows = NAMED.map((name) => [name, hit[name]]);
  for (const [name, value] of Object.entries(hit.scores)) rows.push([`scores.${name}`, value]);
  const recalled = (explained.hits || []).find((one) => one.id === hit.id) || {};
  for (const name of ["recall_score", "recall_rank"]) rows.push([name, recalled[name]]);
  rows.push(["formula", explained.formula]);
  const told = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const table = element("table", {}, ...told.map(([name, value]) =>
    element("tr", {}, element("th", {textContent: name, scope: "row"}), element("td", {textContent: String(value)}))));
  return element("details", {className: "numbers"}, legend(hit), table);
}

function chips(hit) {
  const found = Object.entries(hit.metadata || {}).filter(([, value]) => value !== null && typeof value !== "object");
  const made = element("div", {className: "chips", hidden: found.length === 0});
  for (const [name, value] of found.slice(0, 12)) {
    const chip = element("button", {type: "button", className: "chip"}, `${name} `, element("b", {textContent: String(value)}));
    chip.addEventListener("click", () => narrow(`metadata.${name}`, value));
    made.append(chip);
  }
  return made;
}

// The neighbours of a hit on one side.
function beside(hit, side) {
  const found = (hit.context && hit.context[side]) || [];
  return found.map((one) => element("p", {className: "beside", textContent: one.content}));
}

function card(hit, place, explained, scale) {
  const shownText = element("p", {className: "text"}, ...(hit.highlight ? marked(hit.highlight) : [hit.content]));
  const more = element("button", {type: "button", className: "more", textContent: text("more"), hidden: true});
  more.addEventListener("click", () => {
    const whole = shownText.classList.toggle("whole");
    more.textContent = text(whole ? "less" : "more");
  });
  const made = element("li", {className: "result", tabIndex: -1},
    element("div", {className: "head"},
      element("span", {className: "rank", textContent: `${place}.`}),
      element("h2", {textContent: hit.title || hit.document_name || hit.id})),
    ...beside(hit, "before"), shownText, more, ...beside(hit, "after"), chips(hit));
  if (hit.others) made.firstChild.append(element("span", {className: "others", textContent: text("others", hit.others)}));
  if (hit.score !== null) {
    made.firstChild.append(element("span", {className: "score"}, `${text("score")} `, element("b", {textContent: short(hit.score)})));
    const parts = partsOf(hit, explained);
    if (parts.bm25 || parts.cosine) made.append(bar(parts, scale));
    if (hit.scores.rerank !== null) made.append(bar({rerank: hit.scores.rerank}, Math.max(1, hit.scores.rerank)));
  }
  made.append(numbers(hit, explained));
  return made;
}

function show() {
  const answer = state.answer;
  const results = answer ? answer.hits : [];
  const explained = (answer && answer.explain) || {};
  const totals = results.map((hit) => Object.values(partsOf(hit, explained)).reduce((sum, one) => sum + Math.max(0, one), 0));
  const scale = Math.max(1, ...totals);
  const first = answer ? (answer.page - 1) * answer.limit + 1 : 1;
  $("results").replaceChildren(...results.map((hit, place) => card(hit, first + place, explained, scale)));
  for (const shownText of document.querySelectorAll(".text")) {
    shownText.nextElementSibling.hidden = shownText.scrollHeight <= shownText.clientHeight + 1;
  }
  showFacets(answer);
  showPages(answer);
  $("summary").classList.toggle("alone", !results.length && $("problem").hidden);
  $("clear-filters").hidden = !answer || results.length > 0 || !state.asked.filters;
  if (answer) tellOf(answer, first);
  showCode();
}

function showPages(answer) {
  const {page = 1, pages = 0} = answer || {};
  $("pages").hidden = pages < 2 && page === 1;
  $("previous").disabled = page <= 1;
  $("next").disabled = !answer || !answer.next_cursor;
  const near = [...Array(pages).keys()].map((one) => one + 1).filter((one) => Math.abs(one - page) <= NEIGHBOURS);
  const wanted = [...new Set(pages ? [1, ...near, pages] : [])].sort((one, other) => one - other);
  $("page-numbers").replaceChildren(...wanted.map((one, place) => {
    const made = element("button", {type: "button", textContent: number(one)});
    made.setAttribute("aria-label", text("page", one));
    if (one === page) made.setAttribute("aria-current", "page");
    if (place && one - wanted[place - 1] > 1) made.className = "after-gap";
    made.addEventListener("click", () => ask({page: one}));
    return made;
  }));
}

function tellOf(answer, first) {
  const lines = [];
  const last = first + answer.hits.length - 1;
  if (answer.hits.length) lines.push(text("shown", first, last, answer.total, answer.total_is_lower_bound, state.milliseconds));
  else if (answer.total) lines.push(text("behind", answer.pages));
  else if (state.asked.question.trim()) lines.push(text("nothing"), text("other"));
  else lines.push(text(state.asked.match_all ? "nothing" : "ask"));
  if (answer.index_changed) lines.push(text("changed"));
  lines.push(...answer.warnings);
  $("told").replaceChildren(...lines.map((line) => element("p", {textContent: line})));
}

function showFacets(answer) {
  const found = Object.entries((answer && answer.facets) || {});
  $("facets").hidden = found.length === 0;
  $("facets").replaceChildren(...found.map(([name, entries]) => {
    const row = element("div", {className: "chips"}, element("span", {className: "facet", textContent: name}));
    for (const {value, count} of entries) {
      const chip = element("button", {type: "button", className: "chip"}, element("b", {textContent: String(value)}), ` ${number(count)}`);
      chip.addEventListener("click", () => narrow(name, value));
      row.append(chip);
    }
    return row;
  }));
}

// --- filters

function narrow(field, value) {
  addFilter(field, "eq", typeof value === "string" && typed(value) !== value ? JSON.stringify(value) : String(value));
  $("filtering").open = true;
  ask();
}

function addFilter(field = "", operator = "eq", value = "") {
  const names = element("input", {value: field, autocomplete: "off", spellcheck: false});
  names.setAttribute("list", "fields");
  const kinds = element("select", {}, ...OPERATORS.map((one) => element("option", {value: one, textContent: text(one)})));
  kinds.value = operator;
  const values = element("input", {value, autocomplete: "off"});
  const remove = element("button", {type: "button", textContent: "×"});
  const row = element("div", {className: "filter"}, names, kinds, values, remove);
  kinds.addEventListener("change", () => { values.hidden = kinds.value === "exists" || kinds.value === "missing"; });
  values.hidden = operator === "exists" || operator === "missing";
  for (const one of [names, values]) one.addEventListener("keydown", (event) => { if (event.key === "Enter") ask(); });
  remove.addEventListener("click", () => { row.remove(); counted(); $("add-filter").focus(); });
  $("filters").append(row);
  labelFilters();
  return names;
}

function labelFilters() {
  for (const row of document.querySelectorAll(".filter")) {
    const [names, kinds, values] = row.querySelectorAll("input, select");
    names.setAttribute("aria-label", text("field"));
    names.placeholder = text("field");
    kinds.setAttribute("aria-label", text("operator"));
    for (const option of kinds.options) option.textContent = text(option.value);
    values.setAttribute("aria-label", text("value"));
    values.placeholder = text("value");
    row.querySelector("button").setAttribute("aria-label", text("remove"));
  }
  counted();
}

function counted() {
  const count = document.querySelectorAll(".filter").length;
  $("filter-count").textContent = count ? String(count) : "";
}

// --- the request as code

const shell = (value) => `'${value.replaceAll("'", "'\\''")}'`;

function code(kind) {
  const body = JSON.stringify({...(state.asked || request()), ...state.which});
  const address = new URL(`${ROOT}/v1/search`, location.href).href;
  const guarded = Boolean($("token").value);
  if (kind === "curl") {
    const token = guarded ? " \\\n  -H \"Authorization: Bearer $TOKEN\"" : "";
    return `curl -s ${shell(address)} \\\n  -H 'Content-Type: application/json'${token} \\\n  -d ${shell(body)}`;
  }
  const literal = JSON.stringify(body);
  if (kind === "python") {
    const token = guarded ? "\nheaders[\"Authorization\"] = f\"Bearer {os.environ['TOKEN']}\"" : "";
    return `import json\n${guarded ? "import os\n" : ""}import urllib.request\n\nbody = ${literal}\n`
      + `headers = {"Content-Type": "application/json"}${token}\n`
      + `request = urllib.request.Request(${JSON.stringify(address)}, body.encode(), headers)\n`
      + "with urllib.request.urlopen(request) as answer:\n    print(json.load(answer)[\"hits\"])";
  }
  const token = guarded ? "\nheaders[\"Authorization\"] = \"Bearer #{ENV.fetch(\"TOKEN\")}\"" : "";
  return `require "json"\nrequire "net/http"\n\nbody = ${literal.replaceAll("#", "\\#")}\n`
    + `headers = { "Content-Type" => "application/json" }${token}\n`
    + `answer = Net::HTTP.post(URI(${JSON.stringify(address).replaceAll("#", "\\#")}), body, headers)\nputs JSON.parse(answer.body)["hits"]`;
}

function showCode() {
  $("code").textContent = code(state.code);
  for (const kind of ["curl", "python", "ruby"]) {
    const chosen = kind === state.code;
    $(`tab-${kind}`).setAttribute("aria-selected", String(chosen));
    $(`tab-${kind}`).tabIndex = chosen ? 0 : -1;
  }
  $("code").setAttribute("aria-labelledby", `tab-${state.code}`);
}

// --- language, address, keys

function speak(language) {
  state.language = language in TEXTS ? language : "en";
  document.documentElement.lang = state.language === "zh" ? "zh-Hans" : "en";
  $("language").value = state.language;
  for (const one of document.querySelectorAll("[data-text]")) one.textContent = text(one.dataset.text);
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", text(one.dataset.label));
  for (const one of document.querySelectorAll("[data-hint]")) one.placeholder = text(one.dataset.hint);
  $("keys").replaceChildren(...text("keys").map(([keys, meaning]) =>
    element("span", {}, ...keys.split(" ").map((key) => element("kbd", {textContent: key})), meaning)));
  for (const one of [...SELECTS, "parents"]) $(one).options[0].textContent = text("usual");
  weighed();
  labelFilters();
  show();
  if (!state.answer) tell("ask");
}

function weighed() {
  $("weight-shown").textContent = $("weight").dataset.set ? Number($("weight").value).toFixed(2) : text("usual");
}

function remember() {
  const {question, ...rest} = state.asked;
  const kept = new URLSearchParams({q: question});
  if (rest.filters) kept.set("filters", JSON.stringify(rest.filters));
  if (state.answer.page > 1) kept.set("page", state.answer.page);
  history.replaceState(null, "", `#${kept}`);
}

function recall() {
  const kept = new URLSearchParams(location.hash.slice(1));
  $("question").value = kept.get("q") || "";
  let wanted = null;
  try { wanted = JSON.parse(kept.get("filters") || "null"); } catch { /* an address that somebody has changed */ }
  const rows = wanted && Array.isArray(wanted.all) ? wanted.all : [wanted];
  for (const [field, value] of rows.flatMap((row) => Object.entries(row || {}))) restore(field, value);
  const page = Number(kept.get("page"));
  if ($("question").value || document.querySelector(".filter")) ask(page > 1 ? {page} : null, request());
}

function restore(field, value) {
  const written = (one) => (typeof one === "string" && typed(one) === one ? one : JSON.stringify(one));
  if (Array.isArray(value)) addFilter(field, "in", value.map(written).join(", "));
  else if (value !== null && typeof value === "object") {
    const [[operator, wanted] = ["eq", ""]] = Object.entries(value);
    if (operator === "exists") addFilter(field, wanted ? "exists" : "missing");
    else addFilter(field, OPERATORS.includes(operator) ? operator : "eq", written(wanted));
  } else addFilter(field, "eq", written(value));
}

function turn(forward) {
  if (forward && !$("next").disabled) ask({cursor: state.answer.next_cursor});
  if (!forward && !$("previous").disabled) ask({page: Math.min(state.answer.page - 1, Math.max(1, state.answer.pages))});
}

function step(by) {
  const cards = [...document.querySelectorAll(".result")];
  const next = cards[Math.min(cards.length - 1, Math.max(0, cards.indexOf(document.activeElement) + by))];
  if (next) next.focus();
}

const KEYS = {"/": () => $("question").focus(), j: () => step(1), k: () => step(-1), n: () => turn(true), p: () => turn(false)};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && event.target !== $("question")) $("question").focus();
  else if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && event.key in KEYS) {
    event.preventDefault();
    KEYS[event.key]();
  }
});
for (const id of ["search", "options"]) {
  $(id).addEventListener("submit", (event) => { event.preventDefault(); ask(); });
}
$("clear-filters").addEventListener("click", () => { $("filters").replaceChildren(); counted(); ask(); $("question").focus(); });
$("next").addEventListener("click", () => turn(true));
$("previous").addEventListener("click", () => turn(false));
$("add-filter").addEventListener("click", () => addFilter().focus());
$("language").addEventListener("change", () => { stored("language", $("language").value); speak($("language").value); });
$("weight").addEventListener("input", () => { $("weight").dataset.set = "yes"; weighed(); });
$("token").addEventListener("change", () => { stored("token", $("token").value); showCode(); });
$("copying").addEventListener("toggle", showCode);
$("copy").addEventListener("click", async () => {
  try { await navigator.clipboard.writeText($("code").textContent); } catch { getSelection().selectAllChildren($("code")); }
  $("copy").textContent = text("copied");
  setTimeout(() => { $("copy").textContent = text("copyCode"); }, 1500);
});
for (const kind of ["curl", "python", "ruby"]) {
  $(`tab-${kind}`).addEventListener("click", () => { state.code = kind; showCode(); });
  $(`tab-${kind}`).addEventListener("keydown", (event) => {
    const by = {ArrowRight: 1, ArrowLeft: 2}[event.key];
    if (!by) return;
    const kinds = ["curl", "python", "ruby"];
    state.code = kinds[(kinds.indexOf(kind) + by) % 3];
    showCode();
    $(`tab-${state.code}`).focus();
  });
}
$("fields").replaceChildren(...FIELDS.map((name) => element("option", {value: name})));
$("token").value = stored("token");
speak(stored("language") || (navigator.language || "").slice(0, 2));
recall();
