// Strains along a rod: a chart for each of the six over the arc length, at the time shown and at chosen times.
import uPlot from 'uplot';
import type { Report } from './data';
import { format, Rows, ticks } from './data';
import { inks, room } from './plots';
import { el } from './ui';

const names = ['shear x', 'shear y', 'stretch', 'bend x', 'bend y', 'twist'];
const units = ['', '', '', '1/m', '1/m', '1/m'];
const order = [2, 3, 4, 5, 0, 1]; // what is looked at first
const HEIGHT = 190; // of a chart [px]
const MOST = 8; // chosen times

export class Strains {
  readonly element = el('div', { class: 'plots strains' });
  private readonly rows = new Map<number, Rows>();
  private rod = 0;
  private chosen: number[];
  private time: number;
  private theme: 'light' | 'dark' = 'light';
  private readonly times = el('input', { type: 'text', id: 'strain-times', spellcheck: false });
  private readonly legend = el('div', { class: 'chips' });
  private readonly charts: { strain: number; box: HTMLDetailsElement; holder: HTMLElement; plot: uPlot | null }[] = [];

  constructor(private readonly data: NonNullable<Report['strains']>) {
    const { t, rods, left_out } = data;
    this.time = t[0]!;
    const end = t[t.length - 1]!;
    this.chosen = t.length > 1 ? [0, 1, 2, 3, 4].map((k) => t[0]! + (k / 4) * (end - t[0]!)) : [];
    this.times.value = this.chosen.map((x) => format(x, 4)).join(', ');
    this.times.addEventListener('change', () => {
      const list = this.times.value.split(/[\s,;]+/).map(Number);
      this.chosen = list.filter((x, i) => this.times.value.trim() !== '' && Number.isFinite(x) && list.indexOf(x) === i).slice(0, MOST);
      this.chosen = this.chosen.map((x) => Math.min(Math.max(x, t[0]!), end));
      this.times.value = this.chosen.map((x) => format(x, 4)).join(', ');
      this.remake();
    });
    const pick = el('select', { id: 'strain-rod' }, ...rods.map((r, i) => el('option', { value: i }, r.name)));
    pick.addEventListener('change', () => {
      this.rod = Number(pick.value);
      this.openMoving();
      this.remake();
    });
    const line = (label: string, input: HTMLElement) => el('div', { class: 'row', style: 'grid-template-columns: 92px 1fr' }, el('label', { for: input.id }, label), input);
    this.element.append(line('rod', pick));
    if (t.length > 1) this.element.append(line('times [s]', this.times));
    if (left_out) this.element.append(el('p', { class: 'soft' }, `${left_out} more rods: tendril plot DIR --strain ROD`));
    this.element.append(this.legend);
    for (const strain of order) {
      const holder = el('div', { class: 'chart' });
      const unit = units[strain] ? el('small', {}, ` [${units[strain]}]`) : null;
      const box = el('details', {}, el('summary', {}, names[strain]!, unit), holder) as HTMLDetailsElement;
      box.addEventListener('toggle', () => this.resize());
      this.charts.push({ strain, box, holder, plot: null });
      this.element.append(box);
    }
    this.openMoving();
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  private get values(): Rows {
    let r = this.rows.get(this.rod);
    if (!r) this.rows.set(this.rod, (r = new Rows(this.data.rods[this.rod]!.packed)));
    return r;
  }

  // Charts of strains that are more than rounding beside the others are open.
  private openMoving(): void {
    const rod = this.data.rods[this.rod]!;
    const largest = names.map(() => 0);
    const row = new Float32Array(6 * rod.arc.length);
    for (let i = 0; i < this.data.t.length; i++) {
      this.values.get(i, 0, row);
      row.forEach((x, k) => (largest[k % 6] = Math.max(largest[k % 6]!, Math.abs(x) * (k % 6 < 3 ? 1 : rod.length))));
    }
    const top = Math.max(...largest);
    for (const c of this.charts) c.box.open = top > 0 ? largest[c.strain]! > 1e-6 * top : c.strain === 2;
  }

  // One strain over the arc length at a time, linear between the times that are kept.
  curve(strain: number, time: number): number[] {
    const { t } = this.data;
    const rod = this.data.rods[this.rod]!;
    let low = 0;
    while (low + 2 < t.length && t[low + 1]! <= time) low++;
    const a = t[low]!;
    const b = t[Math.min(low + 1, t.length - 1)]!;
    const row = new Float32Array(6 * rod.arc.length);
    this.values.get(low, b > a ? Math.min(Math.max((time - a) / (b - a), 0), 1) : 0, row);
    return rod.arc.map((_, i) => row[6 * i + strain]!);
  }

  private columns(strain: number): uPlot.AlignedData {
    const all = [...this.chosen, this.time].map((t) => this.curve(strain, t));
    return [this.data.rods[this.rod]!.arc, ...all] as uPlot.AlignedData;
  }

  private make(strain: number, holder: HTMLElement, width: number): uPlot {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--text-soft').trim();
    const line = style.getPropertyValue('--line').trim();
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui, sans-serif' };
    const colours = inks[this.theme];
    const few = this.data.rods[this.rod]!.arc.length < 40;
    const options: uPlot.Options = {
      width,
      height: HEIGHT,
      padding: [6, 12, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [0, this.data.rods[this.rod]!.length] },
        y: { range: (_, low, high) => spread(low, high) },
      },
      axes: [
        { ...axis, size: 38, label: 's [m]', labelSize: 14, labelFont: axis.font, values: (_, v) => ticks(v) },
        { ...axis, size: (_, v) => room(v), space: 22, values: (_, v) => ticks(v) },
      ],
      series: [
        {},
        ...this.chosen.map((_, i) => ({ stroke: colours[i % 8]!, width: 1.4, pxAlign: 0 as const, points: { show: few, size: 3 } })),
        { stroke: style.getPropertyValue('--text').trim(), width: 2.4, pxAlign: 0 as const, points: { show: few, size: 4 } },
      ],
    };
    return new uPlot(options, this.columns(strain), holder);
  }

  private remake(): void {
    for (const c of this.charts) {
      c.plot?.destroy();
      c.plot = null;
    }
    this.resize();
  }

  private resize(): void {
    const width = this.element.clientWidth - 2;
    if (width < 80) return;
    for (const c of this.charts) {
      if (!c.box.open) continue;
      if (!c.plot) c.plot = this.make(c.strain, c.holder, width);
      else if (c.plot.width !== width) c.plot.setSize({ width, height: HEIGHT });
    }
    this.showLegend();
  }

  private showLegend(): void {
    const chip = (style: string, text: string) => el('span', { class: 'chip' }, el('i', { style }), text);
    this.legend.replaceChildren(
      ...this.chosen.map((t, i) => chip(`--ink: var(--ink-${i % 8})`, `${format(t, 4)} s`)),
      chip('--ink: var(--text)', this.data.t.length > 1 ? `${format(this.time, 4)} s, shown` : 'at rest'),
    );
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.theme = theme;
    this.remake();
  }

  setTime(t: number): void {
    if (this.data.t.length < 2 || t === this.time) return;
    this.time = t;
    if (this.element.clientWidth < 80) return; // another tab is open
    for (const c of this.charts) if (c.plot && c.box.open) c.plot.setData(this.columns(c.strain));
    this.showLegend();
  }
}

// Constant curves get a range too.
function spread(low: number, high: number): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const more = high - low > 1e-6 * size ? 0.06 * (high - low) : size > 0 ? 0.5 * size : 1;
  return [low - more, high + more];
}
