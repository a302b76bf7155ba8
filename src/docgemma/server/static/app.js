// The page's only script: it sends forms, follows streams and puts what the server rendered in its place.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const words = (name) => document.body.dataset[name] ?? "";

// Said once and politely; never token by token.
function announce(text) {
  if (!text) return;
  $("#announce").textContent = "";
  setTimeout(() => { $("#announce").textContent = text; }, 50);
}

// One request of ours; an answer that is no success becomes its sentence.
async function send(url, options = {}) {
  const headers = { "X-Fragment": "1", "X-CSRF-Token": $("meta[name=csrf]").content, Accept: "text/html, application/json", ...options.headers };
  const answer = await fetch(url, { ...options, headers }).catch(() => { throw new Error(words("unreachable")); });
  if (answer.status === 401) location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
  const json = answer.headers.get("content-type")?.includes("json");
  const body = await (json ? answer.json() : answer.text());
  if (!answer.ok) throw new Error((json && body.error) || words("failed"));
  return { body, json, headers: answer.headers };
}

// Put HTML of our own server into the page. It holds no scripts: the policy of the page would refuse them anyway.
function put(target, html, how = "inner") {
  const made = Object.assign(document.createElement("template"), { innerHTML: html });
  const first = made.content.firstElementChild;
  target[{ outer: "replaceWith", append: "append", inner: "replaceChildren" }[how]](made.content);
  wake((how === "outer" ? first : target)?.parentElement ?? document);
  announce(first?.dataset.announce);
  return first;
}

function tell(form, text) {
  const place = form?.querySelector("[data-error]") ?? $("#problem");
  Object.assign(place, { textContent: text, hidden: !text });
}

function confirmed(question) {
  const dialog = $("#confirm");
  if (!question) return Promise.resolve(true);
  $("[data-question]", dialog).textContent = question;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

async function submit(form, button) {
  if (form.ariaBusy === "true" || !(await confirmed(button?.dataset.confirm ?? form.dataset.confirm))) return;
  tell(form, "");
  form.ariaBusy = "true";
  const body = new URLSearchParams(new FormData(form, button));
  const target = form.dataset.target && $(form.dataset.target);
  try {
    const answer = await send(form.dataset.post, { method: form.dataset.method ?? "POST", body });
    if (answer.json && answer.body.page) return location.assign(answer.body.page);
    const made = target && put(target, answer.body, "outer");
    (made?.querySelector("[data-focus]") ?? made)?.focus();
    refresh();
  } catch (error) {
    tell(form, error.message);
  } finally { form.ariaBusy = "false"; }
}

const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
async function ask(form) {
  const { csrf, ...fields } = Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === "string" && value));
  if (!fields.text?.trim() || form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  form.dataset.run ||= newId();  // kept while nobody answered: a second try is then the same run
  tell(form, "");
  try {
    const body = JSON.stringify({ ...fields, run_id: form.dataset.run });
    const answer = await send("/runs", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    $("#empty")?.remove();
    put($("#turns"), answer.body, "append")?.scrollIntoView({ block: "start" });
    form.dataset.run = form.elements.text.value = "";
    $("#preview")?.replaceChildren();
    settle(answer.headers, form);
  } catch (error) {
    tell(form, error.message);
    if (error.message !== words("unreachable")) form.dataset.run = "";
  } finally {
    form.ariaBusy = "false";
    if (!$("#banner")?.contains(document.activeElement)) form.elements.text.focus();
  }
}

// From now on the page is that of its session: a reload comes back to it.
function settle(headers, form) {
  if (headers.get("X-Page")) history.replaceState(null, "", headers.get("X-Page"));
  if (headers.get("X-Session")) form.elements.session_id.value = headers.get("X-Session");
}

function follow(article) {
  const source = new EventSource(article.dataset.stream);
  delete article.dataset.stream;
  const into = (selector) => (html) => put($(selector, article), html, "append");
  const status = (text) => { $("[data-status]", article).textContent = text; };
  const end = (said) => (html) => {
    source.close();
    const watched = article.getBoundingClientRect().top < innerHeight;  // who reads elsewhere is not carried away
    const made = put(article, html, "outer");
    announce(made?.dataset.announce ?? words(said));
    if (watched) made?.scrollIntoView({ block: "start" });
    refresh();
    $("[data-focus]", made ?? document)?.focus();
  };
  const ended = end("ended");
  const acts = { step: into("[data-steps]"), text: into("[data-text]"), status, turn: end("ready"), failed: ended, stopped: ended, interrupted: ended };
  for (const [name, act] of Object.entries(acts)) source.addEventListener(name, (event) => act(event.data));
  source.onerror = () => status(words("unreachable"));
}

// What may have changed with an answer or a decision: banner, title, list of conversations, cards that were withdrawn.
function refresh() {
  const session = $("form[data-ask]")?.elements.session_id?.value ?? "";
  for (const each of document.querySelectorAll("[data-refresh]")) {
    if (session || !each.dataset.refresh.includes(":session")) load(each, each.dataset.refresh.replace(":session", session));
  }
  for (const card of document.querySelectorAll(".turn:has(~ .turn) .card.waiting"))
    send(`/orders/${card.id.slice(5)}`).then(({ body }) => body.includes('"card waiting') || put(card, body, "outer"), () => {});
}

async function load(element, url = element.dataset.get) {
  const target = element.dataset.target ? $(element.dataset.target) : element;
  if (!target) return;
  try {
    const { body } = await send(url);
    const [open, at] = [$(".choose[open]", target), document.activeElement];  // who looks for a patient goes on doing so
    put(target, body);
    if (open) { $(".choose", target)?.replaceWith(open); at.focus(); }
  } catch (error) { target.textContent = error.message; }
}

function search(input) {
  clearTimeout(search.timer);
  const more = new URLSearchParams(input.form ? new FormData(input.form) : {});
  more.set("q", input.value);
  search.timer = setTimeout(() => load(input, `${input.dataset.search}?${more}`), 250);
}

async function upload(input) {
  const file = input.files[0];
  if (!file) return;
  const [target, session] = [$(input.dataset.target), input.form.elements.session_id.value];
  tell(input.form, "");
  target.textContent = words("reading");
  try {
    const patient = encodeURIComponent(input.form.elements.patient_id?.value ?? "");
    const answer = await send(session ? `/sessions/${session}/images` : `/images?patient_id=${patient}`, {
      method: "POST", body: file, headers: { "Content-Type": file.type || "application/octet-stream" } });
    put(target, answer.body);
    settle(answer.headers, input.form);
  } catch (error) {
    target.replaceChildren();
    tell(input.form, error.message);
  }
  input.value = "";
}

// What has just come into the page: streams to follow, parts to fetch.
function wake(root) {
  for (const article of root.querySelectorAll("[data-stream]")) follow(article);
  for (const each of root.querySelectorAll("[data-load]")) { each.removeAttribute("data-load"); load(each); }
}

function say(button) {
  const form = $("form[data-ask]");
  form.elements.text.value = button.dataset.say ?? button.dataset.fill;
  if (button.dataset.say === undefined) form.elements.text.focus(); else ask(form);
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-ask], [data-post]")) return;
  event.preventDefault();
  if (event.target.matches("[data-ask]")) ask(event.target); else submit(event.target, event.submitter);
});
document.addEventListener("click", (event) => {
  const found = event.target.closest("[data-say], [data-fill], button[data-get], [data-print], [data-clear]");
  if (!found) return;
  if (found.matches("[data-say], [data-fill]")) say(found); else if (found.dataset.get) load(found);
  else if (found.dataset.clear) $(found.dataset.clear).replaceChildren(); else window.print();
});
document.addEventListener("input", (event) => { if (event.target.matches("[data-search]")) search(event.target); });
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-upload]")) upload(event.target);
  else if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("form[data-ask] textarea") && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    event.target.form.requestSubmit();
  } else if (!event.target.closest("input, textarea, select, dialog") && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const found = /^[a-z0-9?]$/.test(event.key) && $(`[data-key="${event.key}"]:not(:disabled)`);
    if (found) { event.preventDefault(); found.click(); found.focus(); }
  }
});
wake(document);
