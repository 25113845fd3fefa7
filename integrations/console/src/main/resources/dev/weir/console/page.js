"use strict";
(() => {
  if (window.top !== window.self) { // where no header forbids it: a click meant for another page would land on this one
    document.body.textContent = "This page is not shown inside another page.";
    return;
  }

  /** What it asks for stands beside the page: below its own name where that does not end in a slash. */
  const BASE = location.pathname.endsWith("/") ? "" : location.pathname.split("/").pop() + "/";
  const KEY = "weir-token";
  const SPAN = 300; // seconds that charts and bars show at most
  const LEAST = 60; // and at least
  const RECENT = 10; // seconds that a trouble stays on the page: one that comes and goes moves nothing
  const GAP = 5; // seconds without a look that break a line
  const SILENT = 3; // seconds without an answer that are told
  const FIRST = { holders: 12, waiters: 5 }; // rows that a list shows before it is asked for all
  const SHARES = [["beforeFirstStatement", "before", "before the first statement"], ["inDriver", "driver", "database at work"],
    ["idleInTransaction", "idle", "idle in a transaction"], ["betweenTransactions", "between", "between transactions"]];
  const OPERATIONS = [
    ["evictIdle", "Evict idle", p => `Close the ${p.counts.idle} idle connections of pool ${p.name}?`],
    ["evictAll", "Evict all", p => `Close all ${p.counts.total} connections of pool ${p.name}? Those in use are closed once they are returned.`],
    ["suspend", "Suspend", p => `Suspend pool ${p.name}? It lends nothing until it is resumed, and callers wait.`],
    ["resume", "Resume", p => `Resume pool ${p.name}? It lends again.`]];

  const UNKNOWN = "place not known";

  const $ = id => document.getElementById(id);
  const histories = new Map(); // of each pool by its name
  const open = { holders: false, waiters: false }; // whether a list shows all
  let token = "";
  let view = null; // the last look
  let chosen = null; // the name of the pool that is shown
  let asking = false;
  let paused = false;
  let refused = false; // until there is a token that is taken
  let answered = performance.now();
  let why = "";

  // ---------------------------------------------------------------- texts

  const plural = (n, one, many) => `${number(n)} ${n === 1 ? one : many}`;
  const number = n => Math.round(n).toLocaleString("en");
  const rate = n => n === 0 || n >= 10 ? number(n) : n.toFixed(1);
  const clock = ms => new Date(ms).toLocaleTimeString("en-GB");
  const place = one => one.acquiredPlace ?? one.place ?? UNKNOWN;

  function time(ms) {
    if (ms === 0) return "0";
    if (ms < 10) return `${Number(ms.toPrecision(2))} ms`;
    if (ms < 999.5) return `${Math.round(ms)} ms`;
    if (ms < 59950) return `${(ms / 1000).toFixed(ms % 1000 ? 1 : 0)} s`;
    const two = n => String(n).padStart(2, "0");
    const seconds = Math.round(ms / 1e3);
    if (seconds < 600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${two(seconds % 60)} s` : ""}`;
    const minutes = Math.round(ms / 60e3);
    return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  }

  const DOING = { database: "database at work", application: "application at work", waits: "waits for another connection", leaked: "has returned; looks leaked", unknown: "not known what it does" };

  // ---------------------------------------------------------------- elements

  /** An element; what others have written gets into the page as text only. */
  function element(tag, className, ...inside) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...inside);
    return made;
  }

  function text(where, what) {
    if (where.textContent !== what) where.textContent = what;
  }

  function button(label, action, className) {
    const made = element("button", className, label);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
  }

  /** Brings the children in line with the items. Elements of those that stay are kept, and the focus with them. */
  function each(parent, items, key, make, update) {
    const focused = parent.contains(document.activeElement) ? document.activeElement : null;
    const before = new Map([...parent.children].map(child => [child.key, child]));
    const seen = new Map();
    const children = items.map(item => {
      const n = (seen.get(key(item)) ?? 0) + 1;
      seen.set(key(item), n);
      const whole = `${key(item)} ${n}`;
      const child = before.get(whole) ?? make(item);
      before.delete(whole);
      child.key = whole;
      child.item = item;
      update(child, item);
      return child;
    });
    const index = focused ? [...parent.children].findIndex(child => child.contains(focused)) : 0;
    before.forEach(child => child.remove());
    children.forEach((child, i) => {
      if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
    });
    if (focused && document.activeElement !== focused) {
      const next = focused.isConnected ? focused : parent.children[Math.min(index, children.length - 1)];
      (next?.querySelector("button") ?? next ?? document.body).focus({ preventScroll: true });
    }
  }

  function table(id, rows, more) {
    each($(id).tBodies[0], rows, row => row[0], row => {
      const made = element("tr", "", ...row.map(() => element("td", "")));
      if (more) made.append(element("td", "", more(made, row[0])));
      return made;
    }, (child, row) => row.forEach((cell, i) => text(child.cells[i], cell)));
  }

  // ---------------------------------------------------------------- asking

  function takeToken() {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) history.replaceState(null, "", location.pathname + location.search);
    token = given ?? token;
    try { // a browser may refuse to store anything
      token = token || (sessionStorage.getItem(KEY) ?? "");
      if (token) sessionStorage.setItem(KEY, token);
    } catch { /* then it is asked for after a reload */ }
  }

  async function ask(name, body) {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    if (body) headers["Content-Type"] = "application/json";
    const answer = await fetch(BASE + name, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), cache: "no-store", signal: AbortSignal.timeout(10_000) });
    // Any other login is the application's, and the browser's to ask for.
    if (answer.status === 401 && (answer.headers.get("WWW-Authenticate") ?? "").startsWith("Bearer")) {
      $("token").hidden = false;
      $("live").hidden = true;
      document.querySelector("main").hidden = true;
      $("silent").hidden = true;
      text($("refused"), token ? "The token was refused." : "");
      if (!refused) $("secret").focus();
      refused = true;
      throw new Error("the token was refused");
    }
    const json = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
    if (answer.ok) return json ? answer.json() : answer.text();
    const said = json ? (await answer.json()).error : "";
    // Not of this page's server, which says more, but of what guards the application.
    if (body && answer.status === 403 && (!said || said === "Forbidden")) throw new Error("the application forbids it; its guard against forged requests (CSRF) has to leave out this path");
    throw new Error(said || `the server answered with ${answer.status}`);
  }

  async function look() {
    if (asking || refused || paused || document.hidden) return;
    asking = true;
    try {
      const now = await ask("look");
      if (typeof now !== "object" || !now.pools) throw new Error("the answer is no look at pools; a login may be needed");
      answered = performance.now();
      why = "";
      if (!paused) show(now);
    } catch (failure) {
      why = failure instanceof TypeError ? "nothing listens at this address" : failure.name === "TimeoutError" ? "it takes longer than 10 s" : failure.message;
    } finally {
      asking = false;
      silence();
    }
  }

  function silence() {
    const seconds = Math.floor((performance.now() - answered) / 1000);
    const silent = !refused && !paused && !document.hidden && (seconds >= SILENT || why !== "");
    $("silent").hidden = !silent;
    document.querySelector("main").classList.toggle("old", silent);
    if (silent) text($("silent"), `No answer for ${seconds} s${why && ": " + why}.${view ? " Below is what was seen last." : ""}`);
  }

  // ---------------------------------------------------------------- what is remembered

  const SERIES = ["inUse", "total", "maximum", "waiting", "acquired", "timedOut", "p99", "useP99"];

  function remember(pool) {
    const now = pool.at / 1000;
    let history = histories.get(pool.name);
    if (!history || now < history.last) {
      history = { t: [], last: 0, lines: new Map(), troubles: new Map() };
      SERIES.forEach(name => history[name] = []);
      histories.set(pool.name, history);
    }
    if (now === history.last) return;
    const trend = pool.trend;
    const n = trend.inUse.length;
    if (history.t.length === 0) {
      for (let i = 1; i < n; i++) { // the rates are those of the time between two looks
        add(history, trend.at[i] / 1000, trend.inUse[i], null, null, trend.waiting[i], trend.acquired[i - 1], trend.timedOut[i - 1], trend.acquired[i - 1] || trend.timedOut[i - 1] ? trend.p99[i - 1] : null, trend.useP99[i - 1] || null);
      }
    }
    if (history.t.at(-1) !== now) add(history, now, 0, 0, 0, 0, null, null, null, null);
    const last = history.t.length - 1;
    const { counts, rates } = pool;
    [counts.inUse, counts.total, counts.maximum, counts.waiting, rates?.acquired ?? null, rates?.timedOut ?? null, rates?.acquired || rates?.timedOut ? trend.p99.at(-1) : null, trend.useP99.at(-1) || null]
      .forEach((value, i) => history[SERIES[i]][last] = value);
    while (history.t[0] < now - SPAN) [history.t, ...SERIES.map(name => history[name])].forEach(list => list.shift());
    rememberLoans(history, pool);
    pool.troubles.forEach(trouble => history.troubles.set(kindOf(trouble), { trouble, at: now }));
    history.troubles.forEach(({ at }, kind) => now - at >= RECENT && history.troubles.delete(kind));
    history.last = now;
  }

  function add(history, at, ...values) {
    const put = (t, all) => [history.t, ...SERIES.map(name => history[name])].forEach((list, i) => list.push(i ? all[i - 1] : t));
    if (history.t.length && at - history.t.at(-1) > GAP) put(at - 1, SERIES.map(() => null));
    put(at, values);
  }

  /** A loan that began before the last look is the one that was seen there. */
  function rememberLoans(history, pool) {
    const now = pool.at / 1000;
    for (const holder of pool.holders) {
      const start = now - holder.heldFor / 1000;
      const line = history.lines.get(holder.connection) ?? [];
      const last = line.at(-1);
      if (last && start < history.last && last.end >= history.last) last.end = now;
      else line.push({ start, end: now });
      while (line[0].end < now - SPAN) line.shift();
      history.lines.set(holder.connection, line);
    }
    history.lines.forEach((line, connection) => line.at(-1).end < now - SPAN && history.lines.delete(connection));
  }

  // ---------------------------------------------------------------- the look

  function show(now) {
    view = now;
    document.querySelector("main").hidden = false;
    $("live").hidden = false;
    text($("jvm"), now.jvm);
    now.pools.forEach(remember);
    const pools = [...now.pools].sort((a, b) => isWell(a) - isWell(b) || a.name.localeCompare(b.name));
    histories.forEach((history, name) => pools.some(pool => pool.name === name) || histories.delete(name));
    $("none").hidden = pools.length > 0;
    $("panel").hidden = $("dump").hidden = pools.length === 0;
    const shown = pools.find(pool => pool.name === chosen) ?? pools[0];
    text($("live"), `seen at ${clock(shown ? shown.at : Date.now())}`);
    if (!shown) chosen = null;
    else choose(shown.name, pools);
  }

  const wordsOf = trouble => trouble.replace(/\b\d[\d.,]*( (ms|s|min|h)\b)?/g, "").replace(/ +/g, " ").trim();
  /** The same from look to look, though one thread waits, and then two threads wait. */
  const kindOf = trouble => wordsOf(trouble).replace(/s\b/g, "");
  const troublesOf = pool => histories.get(pool.name).troubles;
  const isWell = pool => troublesOf(pool).size === 0 && !pool.suspended;
  const state = pool => pool.suspended ? "suspended" : isWell(pool) ? "all is well" : plural(troublesOf(pool).size, "trouble", "troubles");

  function choose(name, pools) {
    chosen = name;
    each($("tabs"), pools, pool => pool.name, tab, (child, pool) => {
      const selected = pool.name === chosen;
      child.className = isWell(pool) ? "" : "trouble";
      child.setAttribute("aria-selected", selected);
      child.tabIndex = selected ? 0 : -1;
      text(child.firstChild, pool.name);
      text(child.lastChild, `${isWell(pool) ? "\u2713" : "\u2715"} ${state(pool)}, ${pool.counts.inUse} of ${pool.counts.maximum} in use`);
      if (selected) child.id = "tab";
      else child.removeAttribute("id");
    });
    $("panel").setAttribute("aria-labelledby", "tab");
    const pool = pools.find(one => one.name === chosen);
    document.title = `${pools.every(isWell) ? "" : "\u2715 "}${pool.name}: ${pool.counts.inUse}/${pool.counts.maximum} in use, ${pool.counts.waiting} wait - Weir`;
    findings(pool);
    numbers(pool);
    actions(pool);
    holders(pool);
    waiters(pool);
    failures(pool);
    draw(pool);
    shares(pool);
    totals(pool);
    settings(pool);
  }

  function tab(pool) {
    const made = button("", () => again(made.item.name));
    made.append(element("b", ""), element("small", ""));
    made.setAttribute("role", "tab");
    made.setAttribute("aria-controls", "panel");
    return made;
  }

  /** The same look, another pool. */
  function again(name) {
    chosen = name;
    show(view);
  }

  function findings(pool) {
    const { counts } = pool;
    const found = [...troublesOf(pool).values()].map(({ trouble, at }) => ["trouble", trouble, "", pool.at / 1000 - at]);
    if (pool.suspended) found.unshift(["trouble", "The pool is suspended", "It lends nothing until it is resumed."]);
    if (found.length === 0) {
      found.push(["good", "All is well", `${plural(counts.inUse, "connection is", "connections are")} in use, ${counts.maximum} allowed; ${counts.waiting === 0 ? "no thread waits" : plural(counts.waiting, "thread waits", "threads wait")}.`]);
    } else if (counts.waiting > 0 && pool.holders.length > 0 && counts.inUse >= counts.maximum // else they keep nobody
        && !found.some(([, trouble]) => trouble.includes("nested getConnection()"))) { // which says who holds them
      found[0][2] = cause(pool.holders, counts.inUse, found[0][1]);
    }
    pool.advice.forEach(advice => found.push(["advice", advice, ""]));
    each($("findings"), found, ([kind], i) => kind, ([kind]) => element("li", kind, element("em", ""), element("strong", ""), element("p", "")), (child, [kind, headline, detail, ago]) => {
      text(child.firstChild, kind === "good" ? "" : ago ? `${kind}, ${Math.max(1, Math.round(ago))} s ago` : kind);
      text(child.children[1], headline[0].toUpperCase() + headline.slice(1));
      text(child.lastChild, detail);
      child.lastChild.hidden = detail === "";
    });
    text($("said"), `Pool ${pool.name}: ${[state(pool), ...[...troublesOf(pool).values()].map(({ trouble }) => wordsOf(trouble))].join(", ")}`);
  }

  /** Most connections are held from one place, or else the longest is named; what the headline says is not said again. */
  function cause(holders, inUse, headline) {
    const by = groups(holders)[0];
    const { thread, heldFor } = by.longest;
    const who = `${thread ?? "a thread not known"}: ${DOING[by.longest.doing]}`;
    if (headline.includes(` are held at ${by.name},`)) return `The longest is of ${who}.`;
    if (by.name === UNKNOWN) return `The longest loan is ${time(heldFor)} old, of ${who}.`;
    return `${by.of.length} of ${holders.length < inUse ? "the " : ""}${holders.length} ${holders.length < inUse ? "longest loans" : "connections in use"} ${by.of.every(one => one.acquiredPlace) ? "were acquired" : "are held"} at ${by.name}, the longest for ${time(heldFor)} by ${who}.`;
  }

  /** Of one place together, the largest first. */
  function groups(all) {
    const found = new Map();
    all.forEach(one => {
      const group = found.get(place(one)) ?? { name: place(one), of: [], longest: one };
      group.of.push(one);
      found.set(group.name, group);
    });
    return [...found.values()].sort((a, b) => b.of.length - a.of.length);
  }

  function numbers(pool) {
    const { counts, totals, rates, waits, uses } = pool;
    const history = histories.get(pool.name);
    const first = history.timedOut.every(n => n === null); // of it there is no rate yet
    const timedOut = history.timedOut.reduce((sum, n) => sum + (n ?? 0), 0);
    const since = time(Math.max(1, Math.round(history.t.at(-1) - history.t[0])) * 1000);
    const all = [
      ["In use", `${number(counts.inUse)} of ${number(counts.maximum)}`, `${number(counts.total)} open, ${number(counts.idle)} idle`, counts.inUse >= counts.maximum && counts.waiting > 0],
      ["Waiting", number(counts.waiting), pool.waiters.length ? `the longest for ${time(pool.waiters[0].waited)}` : "no thread waits", !isWell(pool) && counts.waiting > 0],
      ["Timed out", first ? "-" : number(timedOut), `${first ? "" : `in ${since}; `}${number(totals.timedOut)} since the start`, timedOut > 0],
      ["Acquires a second", rates ? rate(rates.acquired) : "-", `${number(totals.acquired)} since the start`, false],
      ["Wait, p99", waits ? time(waits.p99) : "-", waits ? `p50 ${time(waits.p50)}; ${rate(waits.waitedPercent)} % waited` : "not known yet", false],
      ["Use, p99", uses ? time(uses.p99) : "-", uses ? `p50 ${time(uses.p50)}, of the loans returned` : "not known yet", false],
      ["Opening", number(counts.opening), `${counts.oldestConnect ? `the oldest for ${time(counts.oldestConnect)}; ` : ""}${number(counts.closing)} closing`, false]];
    each($("numbers"), all, one => one[0], ([name]) => element("div", "", element("dt", "", name), element("dd", "big"), element("dd", "")), (child, [, big, small, bad]) => {
      child.className = bad ? "bad" : "";
      text(child.children[1], big);
      text(child.lastChild, small);
    });
  }

  /** Shows the first rows of a list, or all; an open list stays open. */
  function some(id, all) {
    $(id + "-all").hidden = all.length <= FIRST[id];
    text($(id + "-all"), open[id] ? `Show the longest ${FIRST[id]}` : `Show all ${all.length}`);
    return open[id] ? all : all.slice(0, FIRST[id]);
  }

  function rest(id, n, what) {
    $(id).hidden = n <= 0;
    text($(id), `${number(n)} more ${what}, none of them longer, are not listed.`);
  }

  function holders(pool) {
    const history = histories.get(pool.name);
    const now = pool.at / 1000;
    const seconds = shown(history);
    text($("scale").firstChild, `${time(seconds * 1000).replace(/\.\d /, " ")} ago`);
    text($("holders-none"), !pool.told ? "This JMX user may only read: the pool does not tell it holders, waiters and failures." : "None now.");
    $("holders-none").hidden = pool.holders.length > 0;
    $("key").hidden = $("scale").hidden = pool.holders.length === 0;
    each($("holders"), some("holders", pool.holders), one => one.connection, holderRow, (child, one) => {
      const [id, age, bars, thread, sql] = child.firstChild.children;
      text(id, `#${one.connection}`);
      text(age, time(one.heldFor));
      const name = one.thread ?? "thread not known";
      const known = place(one) !== UNKNOWN;
      text(thread.firstChild, known ? place(one) : name);
      text(thread.lastChild, `  ${known ? name : UNKNOWN}${one.session ? ", session " + one.session : ""}`);
      text(sql, one.sql ?? "no SQL yet");
      text(child.firstChild.lastChild, `, ${DOING[one.doing]}`);
      const line = history.lines.get(one.connection) ?? [];
      const path = loans => loans.map(loan => bar(loan.start, loan.end, now, seconds)).join("");
      bars.firstChild.setAttribute("d", path(line.slice(0, -1)));
      bars.lastChild.setAttribute("d", path(line.slice(-1)));
      bars.lastChild.setAttribute("class", one.doing);
    });
    rest("holders-rest", pool.told ? pool.counts.inUse - pool.holders.length : 0, "in use");
  }

  /** So many seconds are shown: as long as it has been looked at. */
  function shown(history) {
    return history ? Math.min(SPAN, Math.max(LEAST, history.t.at(-1) - history.t[0])) : LEAST;
  }

  /** A bar at least as wide as is seen. */
  function bar(start, end, now, seconds) {
    const x = s => 1000 * (1 - (now - s) / seconds);
    const from = Math.min(997, Math.max(0, x(start)));
    return `M${from.toFixed(1)} 1H${Math.max(from + 3, x(end)).toFixed(1)}V9H${from.toFixed(1)}Z`;
  }

  function holderRow() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 1000 10");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    ["past", ""].forEach(name => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", name);
      svg.append(path);
    });
    const made = element("li", "", button("", () => detail(made.item, "Connection #" + made.item.connection, [["Held for", time(made.item.heldFor)], ["Thread", `${made.item.thread ?? "not known"}: ${DOING[made.item.doing]}`],
      ["Session of the database", made.item.session], ["Acquired at", made.item.acquiredPlace], ["Is now at", made.item.place], ["Last SQL", made.item.sql]])));
    made.firstChild.append(element("span", "name"), element("span", "age"), svg, element("span", "thread", element("b", ""), element("small", "")), element("span", "sql"), element("span", "unseen"));
    return made;
  }

  function waiters(pool) {
    $("waiting").hidden = pool.waiters.length === 0;
    table("places", groups(pool.waiters).map(group => [group.name, number(group.of.length), time(group.longest.waited)]));
    rest("waiters-rest", pool.counts.waiting - pool.waiters.length, "threads");
    each($("waiters"), some("waiters", pool.waiters), one => one.thread, () => {
      const made = element("li", "", button("", () => detail(made.item, made.item.thread, [["Has waited", time(made.item.waited)], ["Waits at", made.item.place]])));
      made.firstChild.append(element("span", "age"), element("span", "thread", element("b", "")), element("span", "place"));
      return made;
    }, (child, one) => {
      const [age, thread, where] = child.firstChild.children;
      text(age, time(one.waited));
      text(thread.firstChild, one.thread);
      text(where, place(one));
    });
  }

  function failures(pool) {
    $("failing").hidden = pool.failures.length === 0;
    each($("failures"), pool.failures, one => one.kind, () => element("li", "", element("b", ""), element("small", ""), element("div", "")), (child, one) => {
      text(child.firstChild, clock(pool.at - one.ago) + " ");
      text(child.children[1], `${time(one.ago)} ago, ${one.kind.toLowerCase()}`);
      text(child.lastChild, one.message);
    });
  }

  function shares(pool) {
    const sum = SHARES.reduce((all, [name]) => all + (pool.loans[name] ?? 0), 0);
    $("shares").hidden = sum === 0;
    if (sum === 0) return;
    const part = name => (pool.loans[name] ?? 0) / sum;
    each($("share-bar"), SHARES, share => share[0], ([, kind]) => element("div", "segment " + kind), (child, [name]) => child.style.flexGrow = part(name));
    each($("share-list"), SHARES, share => share[0], ([, kind]) => element("li", "", element("i", kind), element("span", "")),
      (child, [name, , words]) => text(child.lastChild, `${Math.round(100 * part(name))} % ${words}${name === "idleInTransaction" && pool.idlePlaces.length ? " (" + pool.idlePlaces[0] + ")" : ""}`));
    $("needed").hidden = pool.neededForTransactions === 0;
    text($("needed"), `${pool.mostInUse} were in use at once; lent for transactions alone, ${pool.neededForTransactions} would do.`);
  }

  function totals(pool) {
    const { totals } = pool;
    const counted = (map, name) => Object.entries(map).filter(([, n]) => n > 0).map(([key, n]) => [name(key), number(n)]);
    table("totals", [["opened", number(totals.opened)], ["connects failed", number(totals.openFailed)],
      ...counted(totals.retired, key => `retired: ${key.toLowerCase()}`), ...counted(pool.pinned, key => `pinned: ${key}`), ...counted(pool.servers, key => `now at ${key}`)]);
  }

  // ---------------------------------------------------------------- the dialog

  function dialog(title, inside, buttons) {
    const before = $("dialog").open;
    text($("dialog-title"), title);
    $("dialog-body").replaceChildren(...inside);
    $("dialog-error").hidden = true;
    $("dialog-buttons").replaceChildren(...buttons, button(buttons.length ? "Cancel" : "Close", () => $("dialog").close()));
    if (!before) $("dialog").showModal();
    $("dialog").scrollTop = 0;
    ($("dialog-body").querySelector("input") ?? $("dialog-buttons").lastChild).focus({ preventScroll: true });
  }

  /** Frames without loader and module; the one of the user's place stands out. */
  function stack(title, frames, where) {
    if (!frames?.length) return [];
    return [element("h3", "", title), element("ol", "", ...frames.map(frame => {
      const short = frame.replace(/^(?:\w+\/)?(?:[\w.]+(?:@[^/]*)?)?\/(?=[a-z])/, "");
      return element("li", where && short.includes(`.${where}(`) ? "own" : "", element("code", "", short));
    }))];
  }

  function detail(one, title, facts) {
    const known = facts.filter(([, value]) => value != null);
    dialog(title, [
      element("p", "muted", `As seen at ${clock(view.pools.find(pool => pool.name === chosen)?.at ?? Date.now())}`),
      element("dl", "", ...known.flatMap(([name, value]) => [element("dt", "", name), element("dd", name === "Last SQL" ? "sql" : "", value)])),
      ...stack("Where the thread is", one.stack, one.place),
      ...stack("Where it was acquired", one.acquiredAt, one.acquiredPlace)], []);
  }

  function failed(failure) {
    $("dialog-error").hidden = false;
    text($("dialog-error"), `Refused: ${failure.message}`);
  }

  /** Asks once more, and tells what came of it. */
  function confirm(title, question, label, name, body, done) {
    const sure = button(label, async () => {
      sure.disabled = true;
      try {
        await ask(name, body);
        $("dialog").close();
        $("done").hidden = false;
        text($("done"), `${clock(Date.now())} ${done}`);
        look();
      } catch (failure) {
        failed(failure);
      } finally {
        sure.disabled = false;
      }
    }, "act");
    dialog(title, [element("p", "", question)], [sure]);
  }

  function actions(pool) {
    const all = view.writable ? OPERATIONS.filter(([name]) => name !== (pool.suspended ? "suspend" : "resume")) : [];
    each($("actions"), all, one => one[0], ([name, label, question]) => button(label + " ...", () => {
      const now = view.pools.find(one => one.name === chosen);
      confirm(label, question(now), label, "act", { pool: now.name, operation: name }, `${label}, pool ${now.name}: done`);
    }), () => {});
  }

  function settings(pool) {
    table("settings", Object.entries(pool.settings).map(([name, value]) => [name, String(value)]), view.writable ? (row, name) => {
      const made = button("Change", () => change(name, row.item[1]));
      made.setAttribute("aria-label", `Change ${name}`);
      return made;
    } : null);
  }

  function change(setting, now) {
    const pool = chosen;
    const input = element("input", "");
    input.value = now;
    input.spellcheck = false;
    input.autocomplete = "off";
    const next = () => confirm(`Change ${setting}`, `Change ${setting} of pool ${pool} from ${now} to ${input.value.trim()}?`, "Change", "change",
      { pool, setting, value: input.value.trim() }, `${setting} of pool ${pool} changed from ${now} to ${input.value.trim()}`);
    input.addEventListener("keydown", event => {
      if (event.key === "Enter") { event.preventDefault(); next(); }
    });
    dialog(`Change ${setting}`, [element("label", "", `New value of ${setting}, now ${now}`, input), element("p", "muted", "It holds until the pool is closed. A time can be written as 500ms, 90s or 5m.")], [button("Next", next)]);
    input.select();
  }

  async function dump() {
    try {
      const pre = element("pre", "", await ask("dump?pool=" + encodeURIComponent(chosen)));
      pre.tabIndex = 0;
      const copy = button("Copy", async () => {
        getSelection().selectAllChildren(pre);
        try {
          await navigator.clipboard.writeText(pre.textContent);
          text(copy, "Copied");
        } catch {
          text(copy, "Selected: copy it with the keyboard");
        }
      });
      dialog(`Dump of pool ${chosen}`, [pre], []);
      $("dialog-buttons").prepend(copy);
    } catch (failure) {
      dialog("No dump", [element("p", "", failure.message)], []);
    }
  }

  // ---------------------------------------------------------------- charts

  const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const faint = name => color(name) + "40";

  const charts = [];
  let printing = false;

  const bars = () => ({ paths: uPlot.paths.bars({ size: [1, 4] }), width: 0 });

  /** Title, height, and of each line: its words, its name in the history, its color, how its number is written, what else uPlot needs. */
  const CHARTS = [
    ["Connections", 130, [["in use", "inUse", "driver", number, { fill: () => faint("driver") }], ["open", "total", "between", number, {}], ["allowed", "maximum", "muted", number, { dash: [6, 4] }]]],
    ["Threads that wait", 100, [["waiting", "waiting", "held", number, { fill: () => faint("held") }]]],
    ["Acquires and timeouts a second", 110, [["acquires", "acquired", "driver", rate, {}], ["timeouts", "timedOut", "held", number, { scale: "few", ...bars(), fill: () => color("held") }]]],
    ["Wait for a connection, p99", 100, [["wait", "p99", "idle", time, { ...bars(), fill: () => color("idle") }]]],
    ["Use of a connection, p99", 100, [["use", "useP99", "driver", time, { ...bars(), fill: () => color("driver") }]]]];

  const font = "12px system-ui, sans-serif";
  const axis = more => ({ stroke: () => color("muted"), grid: { stroke: () => color("grid"), width: 1 }, ticks: { show: false }, font, ...more });

  function chart([title, height, series]) {
    const values = series.map(([label, , kind]) => {
      const value = element("b", "");
      return [element("span", "", element("i", kind), label + " ", value), value];
    });
    const box = element("div", "chart");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", `${title}, over the last minutes; the numbers stand above it`);
    $("charts").append(element("figure", "", element("figcaption", "", element("strong", "", title), ...values.map(([span]) => span)), box));
    const told = u => values.forEach(([, value], i) => {
      const row = u.data[i + 1];
      const at = u.cursor.idx ?? row.length - 1;
      text(value, row[at] == null ? "-" : series[i][3](row[at]));
    });
    const two = series.some(one => one[4].scale);
    const top = least => (u, min, max) => [0, Math.max(least, (max ?? 0) * 1.08)];
    const u = new uPlot({
      width: box.clientWidth || 300, height, padding: [8, two ? 0 : 34, 0, 0], legend: { show: false },
      cursor: { sync: { key: "weir" }, drag: { x: false, y: false }, y: false, points: { size: 6 } },
      scales: { x: { range: () => { const history = histories.get(chosen); const end = history?.t.at(-1) ?? 0; return [end - shown(history), end]; } }, y: { range: top(title.startsWith("Wait for") ? 10 : 1) }, few: { range: top(4) } },
      axes: [axis({ size: 22, values: (u, all) => all.map(s => s % 60 ? "" : clock(s * 1000).slice(0, 5)), incrs: [15, 30, 60] }),
        axis({ size: 76, space: 32, values: (u, all) => all.map(n => n % 1 && series[0][3] === number ? "" : series[0][3](n).replace(".0 ", " ")) }),
        ...(two ? [axis({ scale: "few", side: 1, size: 34, space: 32, grid: { show: false }, stroke: () => color("held"), values: (u, all) => all.map(n => n % 1 ? "" : number(n)) })] : [])],
      series: [{}, ...series.map(([label, , kind, , more]) => ({ label, stroke: () => color(kind), width: 1.5, points: { show: u => u.data[0].length === 1 }, ...more }))],
      hooks: { setCursor: [told], setData: [told] }
    }, [[], ...series.map(() => [])], box);
    charts.push({ u, box, height, names: series.map(one => one[1]) });
    new ResizeObserver(() => box.clientWidth && !printing && u.setSize({ width: box.clientWidth, height })).observe(box);
  }

  function draw(pool) {
    const history = histories.get(pool.name);
    if (charts.length === 0) CHARTS.forEach(chart);
    charts.forEach(({ u, names }) => u.setData([history.t, ...names.map(name => history[name])]));
  }

  function print(is) {
    printing = is;
    document.documentElement.classList.toggle("paper", is);
    charts.forEach(({ u, box, height }) => u.setSize({ width: is ? Math.min(box.clientWidth, 680) : box.clientWidth, height }));
  }

  // ---------------------------------------------------------------- begin

  $("tabs").addEventListener("keydown", event => {
    const tabs = [...$("tabs").children];
    const at = tabs.findIndex(one => one.contains(event.target));
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    again(next.item.name);
    next.focus();
  });
  Object.keys(open).forEach(id => $(id + "-all").addEventListener("click", () => {
    open[id] = !open[id];
    if (!open[id]) $(id + "-title").focus();
    show(view);
  }));
  $("pause").addEventListener("click", () => {
    paused = !paused;
    $("pause").setAttribute("aria-pressed", paused);
    text($("pause"), paused ? "Go on" : "Pause");
    if (view) text($("live"), $("live").textContent.replace(/^(seen|paused)/, paused ? "paused" : "seen"));
    answered = performance.now();
    silence();
    look();
  });
  $("dump").addEventListener("click", dump);
  $("dialog").addEventListener("click", event => event.target === $("dialog") && $("dialog").close());
  $("token").addEventListener("submit", event => {
    event.preventDefault();
    token = $("secret").value.trim();
    $("secret").value = "";
    begin();
  });

  function begin() {
    takeToken();
    refused = false;
    $("token").hidden = true;
    answered = performance.now();
    look();
  }

  addEventListener("hashchange", begin);
  document.addEventListener("visibilitychange", () => {
    answered = performance.now();
    look();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(({ u }) => u.redraw(false)));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  setInterval(() => { look(); silence(); }, 1000);
  begin();
})();
