// Curves over time, one chart for the curves that belong together, all with one cursor.
import uPlot from 'uplot';
import type { CurveGroup } from './data';
import { floats, format, Rows, stem, ticks } from './data';
import { el } from './ui';

interface Curve {
  name: string;
  unit: string;
  x: Float64Array | number[];
  band?: Float64Array; // half-width of the error bar at each time, NaN: none
}
interface Chart {
  title: string;
  curves: Curve[];
  open: boolean;
}

// The curves of a group, split where names say that they belong apart.
export function charts(t: number[], groups: CurveGroup[]): Chart[] {
  const out: Chart[] = [];
  for (const g of groups) {
    const n = g.curves.length;
    const raw = g.floats ? floats(g.floats) : null;
    const rows = g.packed ? new Rows(g.packed) : null;
    const bands = g.bands ? floats(g.bands) : null;
    const curves = g.curves.map((c, k): Curve => {
      if (rows) return { ...c, x: rows.columnValues(k) };
      const x = new Float64Array(t.length);
      for (let i = 0; i < t.length; i++) x[i] = raw![i * n + k]!;
      return bands ? { ...c, x, band: Float64Array.from(t, (_, i) => bands[i * n + k]!) } : { ...c, x };
    });
    if (g.name === 'Sensors') {
      const by = new Map<string, Curve[]>();
      for (const c of curves) by.set(stem(c.name), [...(by.get(stem(c.name)) ?? []), c]);
      for (const [title, list] of by) out.push({ title, curves: list, open: out.length < 6 });
    } else {
      out.push({ title: g.name + (g.left_out ? ` (${g.left_out} more in the files)` : ''), curves, open: g.name === 'Energy' });
    }
  }
  return out;
}

export const inks = {
  light: ['#2f6fc4', '#d9731f', '#2f9158', '#b0417f', '#6b57b5', '#a8861a', '#1f8aa3', '#8c4a33'],
  dark: ['#74a7f2', '#f3a45f', '#77cf96', '#e08abf', '#ab9af0', '#e2c557', '#6bcbe2', '#d99077'],
};

const MOST = 12; // curves drawn at first in one chart
const HEIGHT = 178; // of a chart [px]

export class Plots {
  readonly element = el('div', { class: 'plots' });
  onSeek: (t: number) => void = () => undefined;
  private readonly list: { plot: uPlot | null; chart: Chart; holder: HTMLElement; values: HTMLElement[] }[] = [];
  private cursor = 0;
  private theme: 'light' | 'dark' = 'light';

  constructor(private t: number[] | Float64Array, list: Chart[], private readonly events: number[] = []) {
    for (const chart of list) this.addChart(chart);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  private addChart(chart: Chart): void {
    const holder = el('div', { class: 'chart' });
    const values: HTMLElement[] = [];
    const chips = el('div', { class: 'chips' });
    const entry = { plot: null as uPlot | null, chart, holder, values };
    const unit = commonUnit(chart);
    const mixed = unit === null;
    chart.curves.forEach((c, i) => {
      const value = el('output', {});
      values.push(value);
      const chip = el(
        'button',
        {
          type: 'button',
          class: 'chip',
          'aria-pressed': String(i < MOST),
          onclick: () => {
            const on = chip.getAttribute('aria-pressed') !== 'true';
            chip.setAttribute('aria-pressed', String(on));
            entry.plot?.setSeries(i + 1, { show: on });
          },
        },
        el('i', { style: `--ink: var(--ink-${i % 8})` }),
        c.name.length > stem(c.name).length && chart.title === stem(c.name) ? c.name.slice(stem(c.name).length + 1) : c.name,
        value,
        mixed && c.unit ? el('small', {}, c.unit) : null,
      );
      chips.append(chip);
    });
    const box = el('details', { open: chart.open }, el('summary', {}, chart.title, unit ? el('small', {}, ` [${unit}]`) : null), chips, holder);
    box.addEventListener('toggle', () => this.resize());
    this.element.append(box);
    this.list.push(entry);
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.theme = theme;
    for (const e of this.list) {
      e.plot?.destroy();
      e.plot = null;
    }
    this.resize();
  }

  private make(e: (typeof this.list)[number], width: number): uPlot {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--text-soft').trim();
    const line = style.getPropertyValue('--line').trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui, sans-serif' };
    const options: uPlot.Options = {
      width,
      height: HEIGHT,
      padding: [6, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: 26, label: 't [s]', labelSize: 16, labelGap: 1, labelFont: axis.font, values: (_, v) => ticks(v) },
        { ...axis, size: (_, v) => room(v), space: 22, values: (_, v) => ticks(v) },
      ],
      series: [{}, ...e.chart.curves.map((_, i) => ({ stroke: inks[this.theme][i % 8]!, width: 1.6, pxAlign: 0, show: i < MOST, points: { show: false } }))],
      hooks: { drawAxes: [(u) => this.drawBands(u, e.chart)], draw: [(u) => this.drawCursor(u)] },
    };
    const plot = new uPlot(options, [this.t, ...e.chart.curves.map((c) => c.x)] as uPlot.AlignedData, e.holder);
    const seek = (event: PointerEvent) => {
      const r = plot.over.getBoundingClientRect();
      this.onSeek(plot.posToVal(event.clientX - r.left, 'x'));
    };
    plot.over.addEventListener('pointerdown', (event) => {
      plot.over.setPointerCapture(event.pointerId);
      seek(event);
    });
    plot.over.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) seek(event);
    });
    return plot;
  }

  // Error bars over time, behind the curves.
  private drawBands(u: uPlot, chart: Chart): void {
    const c = u.ctx;
    c.save();
    c.beginPath();
    c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    c.clip();
    c.globalAlpha = 0.22;
    chart.curves.forEach((curve, k) => {
      const band = curve.band;
      if (!band || !u.series[k + 1]!.show) return;
      c.fillStyle = inks[this.theme][k % 8]!;
      for (let i = 1; i < band.length; i++) {
        if (!(band[i - 1]! >= 0 && band[i]! >= 0)) continue;
        const [a, b] = [u.valToPos(this.t[i - 1]!, 'x', true), u.valToPos(this.t[i]!, 'x', true)];
        const y = (j: number, side: number) => u.valToPos(curve.x[j]! + side * band[j]!, 'y', true);
        c.beginPath();
        c.moveTo(a, y(i - 1, 1));
        c.lineTo(b, y(i, 1));
        c.lineTo(b, y(i, -1));
        c.lineTo(a, y(i - 1, -1));
        c.fill();
      }
    });
    c.restore();
  }

  private drawCursor(u: uPlot): void {
    const style = getComputedStyle(document.documentElement);
    const c = u.ctx;
    const vertical = (t: number, colour: string, width: number, dash: number[]) => {
      const x = u.valToPos(t, 'x', true);
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) return;
      c.strokeStyle = colour;
      c.lineWidth = width * devicePixelRatio;
      c.setLineDash(dash);
      c.beginPath();
      c.moveTo(x, u.bbox.top);
      c.lineTo(x, u.bbox.top + u.bbox.height);
      c.stroke();
    };
    c.save();
    for (const t of this.events) vertical(t, style.getPropertyValue('--line-strong').trim(), 1, [4, 4]);
    vertical(this.cursor, style.getPropertyValue('--accent').trim(), 1.5, []);
    c.restore();
  }

  private resize(): void {
    const width = this.element.clientWidth - 2;
    if (width < 80) return;
    for (const e of this.list) {
      if (!(e.holder.parentElement as HTMLDetailsElement).open) continue;
      if (!e.plot && this.t.length < 2) continue; // nothing to draw yet: axes have no range
      if (!e.plot) e.plot = this.make(e, width);
      else if (e.plot.width !== width) e.plot.setSize({ width, height: HEIGHT });
    }
    this.setTime(this.cursor);
  }

  private row(t: number): number {
    let low = 0;
    let high = this.t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle]! <= t) low = middle;
      else high = middle - 1;
    }
    return low + 1 < this.t.length && this.t[low + 1]! - t < t - this.t[low]! ? low + 1 : low;
  }

  setTime(t: number): void {
    this.cursor = t;
    const i = this.row(t);
    for (const e of this.list) {
      if (!e.plot) continue;
      e.plot.redraw(false, false);
      e.values.forEach((v, k) => {
        const curve = e.chart.curves[k]!;
        const bar = curve.band?.[i];
        v.textContent = format(curve.x[i] ?? NaN, 4) + (bar !== undefined && bar >= 0 ? ` \u00b1 ${format(bar, 2)}` : '');
      });
    }
  }

  // Live: other data for the same curves.
  setData(t: number[] | Float64Array, columns: (number[] | Float64Array)[]): void {
    this.t = t;
    let k = 0;
    for (const e of this.list) {
      for (const c of e.chart.curves) c.x = columns[k++] as Float64Array;
      if (t.length < 2) {
        e.plot?.destroy(); // the run began anew
        e.plot = null;
      } else e.plot?.setData([t, ...e.chart.curves.map((c) => c.x)] as uPlot.AlignedData);
    }
    if (t.length >= 2 && this.list.some((e) => !e.plot)) this.resize();
    this.setTime(t.length ? t[t.length - 1]! : 0);
  }

  get time(): number {
    return this.cursor;
  }
}

// Width of the axis that its labels need, the sign included [px].
export function room(labels: string[] | null): number {
  return labels ? Math.max(44, 18 + 6.8 * Math.max(...labels.map((s) => s.length))) : 56;
}

// The unit of all curves of a chart; null: they have different ones.
function commonUnit(chart: Chart): string | null {
  const units = new Set(chart.curves.map((c) => c.unit));
  return units.size === 1 ? [...units][0]! : null;
}
