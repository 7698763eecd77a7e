// What a page is given: the data of a report, or the messages of the live view.  docs/viewer.md describes them.

export interface Solid {
  item: number;
  type: 'box' | 'cylinder' | 'ball';
  local: number[]; // position, quaternion x y z w
  size: number[];
}
export interface RodItem {
  name: string;
  angular: boolean;
  length: number;
  arc: number[];
  width: number[];
  height?: number[];
  at: number[];
  across?: number[];
  station: number[];
  strain_arc?: number[];
  strain?: number[];
  modulus?: number[];
}
export interface BodyItem {
  name: string;
  body: number; // as written: repeated bodies share it
  mass: number;
  pose: number;
  station: number;
}
export interface Group {
  kind: string;
  draw: string;
  name?: string[];
  a?: number[];
  b?: number[];
  at?: number[];
  vector?: number[];
  axis?: number[];
  station?: number[];
  items?: (BodyItem & RodItem)[];
  parts?: Solid[];
}
export interface SceneData {
  format: number;
  size: number;
  up: number[];
  gravity: number;
  groups: Group[];
  numbers: number;
}
export interface Packed {
  rows: number;
  cols: number;
  low: number[];
  step: number[];
  column: number[];
  data: string;
}
export interface Curve {
  name: string;
  unit: string;
}
export interface CurveGroup {
  name: string;
  left_out: number;
  curves: Curve[];
  floats?: string;
  packed?: Packed;
  bands?: string; // half-widths of error bars, as floats; NaN: none
}
// Strains over the arc length: each row of `packed` has six numbers for each place.
export interface StrainRod {
  name: string;
  length: number;
  arc: number[];
  packed: Packed;
}
export interface Mode {
  frequency: number;
  damping: number;
  error?: number; // half-width of the error bar of the frequency
  plus: string;
  minus: string;
}
export interface Rod {
  name: string;
  model: string;
  n: number;
  dof: number;
  length: number;
}
export interface Source {
  name: string;
  text: string;
}
export interface Understood {
  joints: string[];
  positions: string[];
  forces: string[];
  constraints: string[];
  inputs: string[];
  rods: Rod[];
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Summary = Record<string, any>;
export interface Report {
  tendril: 'report';
  version: string;
  title: string;
  scene: SceneData;
  still: string;
  motion?: { t: number[]; frames: Packed };
  plots?: { t: number[]; groups: CurveGroup[]; events: number[] };
  strains?: { t: number[]; rods: StrainRod[]; left_out: number };
  equilibrium?: string;
  modes?: Mode[];
  summary?: Summary;
  sources?: Source[];
  understood?: Understood;
}
export interface Live {
  tendril: 'live';
  title: string;
}

function bytes(text: string): Uint8Array {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

export function floats(text: string): Float32Array {
  const b = bytes(text);
  const view = new DataView(b.buffer);
  const out = new Float32Array(b.length >> 2);
  for (let i = 0; i < out.length; i++) out[i] = view.getFloat32(4 * i, true);
  return out;
}

// Rows of numbers that are kept small: unpacked one row at a time.
export class Rows {
  readonly count: number;
  readonly width: number;
  private readonly low: Float32Array;
  private readonly step: Float32Array;
  private readonly column: Int32Array;
  private readonly steps: Uint16Array;

  constructor(p: Packed) {
    this.count = p.rows;
    this.width = p.cols;
    this.low = Float32Array.from(p.low);
    this.step = Float32Array.from(p.step);
    this.column = Int32Array.from(p.column);
    const b = bytes(p.data);
    const view = new DataView(b.buffer);
    this.steps = new Uint16Array(b.length >> 1);
    for (let i = 0; i < this.steps.length; i++) this.steps[i] = view.getUint16(2 * i, true);
  }

  // Row r, or what is between row r and the next: a part s of the way.
  get(r: number, s: number, out: Float32Array): void {
    out.set(this.low);
    const n = this.column.length;
    const a = r * n;
    const b = Math.min(r + 1, this.count - 1) * n;
    for (let k = 0; k < n; k++) {
      const c = this.column[k]!;
      const x = this.steps[a + k]!;
      out[c] = this.low[c]! + this.step[k]! * (x + s * (this.steps[b + k]! - x));
    }
  }

  value(r: number, c: number): number {
    const k = this.column.indexOf(c);
    return k < 0 ? this.low[c]! : this.low[c]! + this.step[k]! * this.steps[r * this.column.length + k]!;
  }

  columnValues(c: number): Float64Array {
    const out = new Float64Array(this.count);
    const k = this.column.indexOf(c);
    const n = this.column.length;
    for (let r = 0; r < this.count; r++)
      out[r] = k < 0 ? this.low[c]! : this.low[c]! + this.step[k]! * this.steps[r * n + k]!;
    return out;
  }
}

// "tip_x", "tip_y", "tip_z" -> "tip"
export function stem(name: string): string {
  return name.replace(/_(x|y|z|\d+)$/, '');
}

export function format(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return '\u2013';
  if (x === 0) return '0';
  const a = Math.abs(x);
  if (a >= 1e5 || a < 1e-3) return x.toExponential(Math.max(0, digits - 2)).replace('e+', 'e');
  return String(Number(x.toPrecision(digits)));
}

// Labels of the marks of an axis, with as many digits as tell them apart truly: 0.20975, not 0.2097, beside 0.2095.
export function ticks(marks: number[]): string[] {
  const gaps = marks.slice(1).map((x, i) => Math.abs(x - marks[i]!));
  const small = 0.01 * Math.min(...gaps, Infinity);
  let digits = 4;
  while (digits < 12 && marks.some((x) => Math.abs(Number(x.toPrecision(digits)) - x) > small)) digits++;
  return marks.map((x) => {
    const y = Number(x.toPrecision(digits));
    const a = Math.abs(y);
    return a !== 0 && (a >= 1e5 || a < 1e-3) ? y.toExponential().replace('e+', 'e') : String(y);
  });
}
