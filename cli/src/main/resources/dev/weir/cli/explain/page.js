"use strict";
(() => {
  const SIGNS = { refused: "\u25cf", failed: "\u2715", leaked: "\u25b2", retired: "\u25bc" };
  const charts = [];
  let printing = false;
  const style = () => getComputedStyle(document.documentElement);
  const color = name => style().getPropertyValue((printing ? "--print-" : "--") + name).trim() || style().getPropertyValue("--" + name).trim();
  const clock = s => Math.floor(s / 60) + ":" + String(Math.floor(s % 60)).padStart(2, "0");
  const exact = s => s == null ? "" : clock(s) + "." + Math.floor(s * 10 % 10);

  function axis(size, values) {
    return { stroke: () => color("muted"), grid: { stroke: () => color("grid"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", size, values };
  }

  function marks(data) {
    return u => {
      const c = u.ctx;
      c.save();
      c.fillStyle = color("pause");
      c.globalAlpha = 0.35;
      for (const [at, took] of data.pauses) {
        const left = u.valToPos(at, "x", true);
        c.fillRect(left, u.bbox.top, Math.max(1, u.valToPos(at + took, "x", true) - left), u.bbox.height);
      }
      c.globalAlpha = 1;
      c.textAlign = "center";
      c.font = 11 * devicePixelRatio + "px system-ui, sans-serif";
      for (const kind of Object.keys(SIGNS)) {
        c.fillStyle = c.strokeStyle = color(kind);
        let drawn = -9;
        for (const at of data[kind]) {
          const x = Math.round(u.valToPos(at, "x", true));
          if (x < drawn + 9 || x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
          c.fillText(SIGNS[kind], x, u.bbox.top - 3);
          c.globalAlpha = 0.4;
          c.beginPath(); c.moveTo(x, u.bbox.top); c.lineTo(x, u.bbox.top + u.bbox.height); c.stroke();
          c.globalAlpha = 1;
          drawn = x;
        }
      }
      c.restore();
    };
  }

  function chart(box, title, height, data, rows, series, top) {
    const u = new uPlot({
      title, width: box.clientWidth, height,
      padding: [16, 18, 0, 0],
      cursor: { sync: { key: box.id }, drag: { x: true, y: false } },
      scales: { x: { time: false, range: (u, min, max) => [min ?? 0, max ?? data.length] }, y: { range: (u, min, max) => [0, top ?? Math.max(1, max * 1.05)] } },
      axes: [axis(28, (u, all) => all.map(clock)), axis(52)],
      series: [{ label: "at", value: (u, s) => exact(s) }, ...series],
      hooks: { draw: [marks(data)] }
    }, rows, box);
    charts.push([u, box, height]);
  }

  /** All charts are of the same time. */
  function whole(at, rows, length) {
    if (at.length && at[0] > 0) { at.unshift(0); rows.forEach(row => row.unshift(null)); }
    if (at.length && at[at.length - 1] < length) { at.push(length); rows.forEach(row => row.push(row[row.length - 1])); }
  }

  const line = (label, name, more) => Object.assign({ label, stroke: () => color(name), width: 1.5, points: { show: false } }, more);
  const steps = uPlot.paths.stepped({ align: 1 });

  document.querySelectorAll(".chart").forEach(box => {
    const data = JSON.parse(box.dataset.chart);
    whole(data.t, [data.inUse, data.opening, data.maximum, data.waiting], data.length);
    whole(data.loadAt, [data.machine, data.jvm], data.length);
    chart(box, "Connections", 240, data, [data.t, data.inUse, data.opening, data.maximum], [
      line("in use", "driver", { paths: steps, fill: () => color("driver") + "40" }),
      line("opening", "between", { paths: steps }),
      line("maximum", "muted", { paths: steps, dash: [6, 4] })]);
    chart(box, "Threads that wait", 150, data, [data.t, data.waiting], [line("waiting", "refused", { paths: steps, fill: () => color("refused") + "40" })]);
    if (data.loadAt.length > 1) {
      chart(box, "Load of all processors, %", 120, data, [data.loadAt, data.machine, data.jvm], [line("machine", "muted"), line("this JVM", "driver")], 100);
    }
  });

  const fit = () => charts.forEach(([u, box, height]) => u.setSize({ width: box.clientWidth, height }));
  addEventListener("resize", fit);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(([u]) => u.redraw(false)));
  addEventListener("beforeprint", () => { printing = true; charts.forEach(([u, box, height]) => u.setSize({ width: Math.min(box.clientWidth, 700), height })); });
  addEventListener("afterprint", () => { printing = false; fit(); });
})();
