// What reports and the live view share: the layout, the picture with its buttons, labels, legend, theme and keys.
import * as THREE from 'three';
import type { SceneData } from './data';
import { format } from './data';
import type { Marker, Theme } from './stage';
import { rampCss } from './drawings';
import { Stage } from './stage';
import type { RodColour } from './tubes';
import { button, el, press, Tabs } from './ui';

export interface Key {
  keys: string;
  text: string;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
const overlap = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

export class Shell {
  readonly root: HTMLElement;
  readonly canvas = el('canvas', { class: 'scene', tabindex: 0, 'aria-label': 'three-dimensional view' });
  readonly picture: HTMLElement;
  readonly bar = el('div', { class: 'bar' });
  readonly tabs = new Tabs();
  readonly stage: Stage;
  readonly meta = el('span', { class: 'meta' });
  readonly notice = el('div', { class: 'notice' });
  readonly caption = el('div', { class: 'caption' });
  readonly title: HTMLElement;
  markers: Marker[] = [];
  onTheme: (theme: Theme) => void = () => undefined;
  onKey: (e: KeyboardEvent) => boolean = () => false;
  frame: Float32Array;
  theme: Theme = 'light';
  private readonly labels = el('div', { class: 'labels' });
  private readonly legend = el('button', { type: 'button', class: 'legend', title: 'colour rods by strain, stress or not at all' });
  private readonly scale = el('div', { class: 'scale' });
  private readonly tools = el('div', { class: 'tools', role: 'toolbar', 'aria-label': 'view' });
  private readonly toggles: Record<string, HTMLButtonElement> = {};
  private named = false;
  private readonly help: HTMLDialogElement;

  constructor(title: string, scene: SceneData, keys: Key[]) {
    this.frame = new Float32Array(scene.numbers);
    this.title = el('h1', {}, title);
    document.title = `${title} \u2013 Tendril`;
    this.help = this.makeHelp(keys);
    const header = el(
      'header',
      {},
      el('span', { class: 'brand' }, 'Tendril'),
      this.title,
      this.meta,
      button('theme', 'light or dark (T)', () => this.setTheme(this.theme === 'light' ? 'dark' : 'light')),
      button('help', 'keys (?)', () => this.help.showModal()),
    );
    this.picture = el('div', { class: 'picture' }, this.canvas, this.labels, this.legend, this.scale, this.tools, this.caption);
    this.root = el(
      'div',
      { class: 'app' },
      header,
      el('main', {}, el('section', { class: 'view' }, this.picture, this.bar), el('aside', {}, this.notice, this.tabs.bar, this.tabs.body)),
      this.help,
    );
    document.getElementById('app')!.replaceChildren(this.root);
    this.stage = new Stage(this.canvas, scene);
    if (!this.stage.renderer) this.picture.append(el('p', { class: 'nothing' }, 'This browser has no WebGL: the picture is missing, the rest is here.'));
    this.addTools();
    this.legend.addEventListener('click', () => this.nextColouring());
    new ResizeObserver(() => this.resize()).observe(this.picture);
    document.addEventListener('keydown', (e) => this.key(e));
    const stored = new URLSearchParams(location.hash.slice(1)).get('theme');
    const dark = matchMedia('(prefers-color-scheme: dark)');
    this.setTheme(stored === 'dark' || (stored !== 'light' && dark.matches) ? 'dark' : 'light');
    dark.addEventListener('change', (e) => this.setTheme(e.matches ? 'dark' : 'light'));
  }

  private makeHelp(keys: Key[]): HTMLDialogElement {
    const own: Key[] = [
      { keys: 'H', text: 'the whole model in the picture' },
      { keys: 'F', text: 'follow what moves' },
      { keys: 'A', text: 'axes of bodies' },
      { keys: 'N', text: 'names' },
      { keys: 'P', text: 'paths of points' },
      { keys: 'C', text: 'colour rods by strain, stress, not' },
      { keys: 'T', text: 'light or dark' },
    ];
    const rows = [...keys, ...own].map((k) => el('tr', {}, el('td', {}, ...k.keys.split(' ').map((x) => el('kbd', {}, x))), el('td', {}, k.text)));
    const dialog = el('dialog', { 'aria-label': 'keys' }, el('table', { class: 'keys' }, ...rows), el('p', { class: 'soft' }, 'Turn the view with the mouse or one finger, move it with the right button or two fingers, zoom with the wheel.'));
    dialog.addEventListener('click', () => dialog.close());
    return dialog;
  }

  private toggle(name: string, label: string, get: () => boolean, set: (on: boolean) => void): void {
    const b = button(name, label, () => {
      set(!get());
      press(b, get());
    });
    press(b, get());
    this.toggles[name] = b;
    this.tools.append(b);
  }

  private addTools(): void {
    this.tools.append(button('home', 'the whole model (H)', () => this.stage.home()));
    this.toggle('follow', 'follow what moves (F)', () => this.stage.follow, (on) => this.stage.setFollow(on));
    this.toggle('axes', 'axes of bodies (A)', () => this.stage.axesShown, (on) => this.stage.showAxes(on));
    this.toggle('label', 'names (N)', () => this.named, (on) => this.setNamed(on));
    this.toggle('trail', 'paths of points (P)', () => this.stage.trailsShown, (on) => this.stage.showTrails(on));
  }

  private setNamed(on: boolean): void {
    this.named = on;
    this.stage.invalidate();
  }

  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    const typing = target instanceof HTMLInputElement && target.type !== 'range';
    if (typing || target instanceof HTMLSelectElement || e.ctrlKey || e.metaKey || e.altKey) return;
    const press = (name: string) => this.toggles[name]?.click();
    const actions: Record<string, () => void> = {
      h: () => this.stage.home(),
      f: () => press('follow'),
      a: () => press('axes'),
      n: () => press('label'),
      p: () => press('trail'),
      c: () => this.nextColouring(),
      t: () => this.setTheme(this.theme === 'light' ? 'dark' : 'light'),
      '?': () => this.help.showModal(),
    };
    if (this.onKey(e)) e.preventDefault();
    else actions[e.key.toLowerCase()]?.();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.setTheme(theme);
    this.onTheme(theme);
  }

  // Only the picture, for screenshots and videos.
  bare(on: boolean): void {
    this.root.classList.toggle('bare', on);
    this.resize();
  }

  private resize(): void {
    const r = this.picture.getBoundingClientRect();
    if (r.width < 2 || r.height < 2) return;
    this.stage.resize(r.width, r.height);
    this.render(true);
  }

  // ---- rods' colours

  private colourings(): RodColour[] {
    const t = this.stage.rods?.tubes;
    if (!t || !t.hasStrain) return ['plain'];
    return t.hasStress ? ['strain', 'stress', 'plain'] : ['strain', 'plain'];
  }

  measured: () => Iterable<Float32Array> = () => [];
  nextColouring(): void {
    const tubes = this.stage.rods?.tubes;
    if (!tubes) return;
    const list = this.colourings();
    tubes.colouring = list[(list.indexOf(tubes.colouring) + 1) % list.length]!;
    let peak = 0;
    for (const x of this.measured()) peak = Math.max(peak, tubes.peak(x));
    tubes.range = peak;
    this.stage.show(this.frame);
    this.showLegend();
  }

  showLegend(): void {
    const tubes = this.stage.rods?.tubes;
    this.legend.hidden = !tubes?.hasStrain;
    if (!tubes) return;
    const what = { strain: 'largest fibre strain', stress: 'largest fibre stress', plain: 'rods: one colour' }[tubes.colouring];
    const top = tubes.colouring === 'stress' ? `${format(tubes.range / unit(tubes.range)[0], 3)} ${unit(tubes.range)[1]}` : `${format(100 * tubes.range, 3)} %`;
    this.legend.replaceChildren(what);
    if (tubes.colouring !== 'plain')
      this.legend.append(el('span', { class: 'end' }, '0'), el('span', { class: 'ramp', style: `background: ${rampCss}` }), el('span', { class: 'end' }, top));
  }

  showScale(): void {
    this.scale.textContent = `grid ${format(this.stage.cell)} m`;
  }

  // ---- frames

  show(frame: Float32Array): void {
    this.frame = frame;
    this.stage.show(frame);
  }

  private readonly pool: { e: HTMLElement; width: number; height: number }[] = [];
  private readonly taken: Box[] = []; // by labels and what stands before the picture

  private entry(i: number, tag: 'span' | 'i', text: string, css: string): (typeof this.pool)[number] {
    let entry = this.pool[i];
    if (!entry || entry.e.tagName.toLowerCase() !== tag) {
      const fresh = el(tag, {});
      if (entry) entry.e.replaceWith(fresh);
      else this.labels.append(fresh);
      entry = this.pool[i] = { e: fresh, width: 0, height: 0 };
    }
    entry.e.className = css;
    entry.e.hidden = false;
    if (entry.width && entry.e.textContent === text) return entry;
    entry.e.textContent = text;
    entry.width = entry.e.offsetWidth;
    entry.height = entry.e.offsetHeight;
    return entry;
  }

  private dot(i: number, p: THREE.Vector3): void {
    const { e } = this.entry(i, 'i', '', '');
    const at = this.stage.project(p);
    e.hidden = !at.shown;
    e.style.transform = `translate(${(at.x - 6.5).toFixed(1)}px, ${(at.y - 6.5).toFixed(1)}px)`;
    if (at.shown) this.taken.push({ x: at.x - 6, y: at.y - 6, width: 12, height: 12 });
  }

  // A name beside its point, where there is room; without room it is left out.
  private word(i: number, text: string, css: string, p: THREE.Vector3): void {
    const { e, width, height } = this.entry(i, 'span', text, css);
    const at = this.stage.project(p);
    const places = [[10, -10], [10, 4], [-10 - width, -10], [-10 - width, 4], [-width / 2, -12 - height], [-width / 2, 12]];
    const boxes = places.map(([dx, dy]) => ({ x: at.x + dx!, y: at.y + dy!, width, height }));
    const box = at.shown ? boxes.find((b) => this.inside(b) && !this.taken.some((t) => overlap(t, b))) : undefined;
    e.hidden = !box;
    if (!box) return;
    this.taken.push(box);
    e.style.transform = `translate(${box.x.toFixed(1)}px, ${box.y.toFixed(1)}px)`;
  }

  private inside(b: Box): boolean {
    const { clientWidth, clientHeight } = this.picture;
    return b.x >= 0 && b.y >= 0 && b.x + b.width <= clientWidth && b.y + b.height <= clientHeight;
  }

  private takePlaces(): void {
    this.taken.length = 0;
    for (const e of [this.legend, this.tools, this.caption, this.scale])
      if (e.offsetWidth) this.taken.push({ x: e.offsetLeft, y: e.offsetTop, width: e.offsetWidth, height: e.offsetHeight });
  }

  private updateLabels(): void {
    const p = new THREE.Vector3();
    let n = 0;
    if (this.markers.length || this.named) this.takePlaces();
    for (const m of this.markers) {
      m.where(this.frame, p);
      this.dot(n++, p);
    }
    for (const m of this.markers) {
      m.where(this.frame, p);
      this.word(n++, m.name, 'marker', p);
    }
    if (this.named) {
      for (const g of this.stage.data.groups) {
        if (n > 120) break;
        if (g.draw === 'solid')
          for (const b of g.items!.slice(0, 40)) {
            const part = g.parts!.find((x) => x.item === g.items!.indexOf(b));
            const o = b.pose;
            const q = new THREE.Quaternion(this.frame[o + 3], this.frame[o + 4], this.frame[o + 5], this.frame[o + 6]).normalize();
            p.set(part?.local[0] ?? 0, part?.local[1] ?? 0, part?.local[2] ?? 0).applyQuaternion(q);
            p.add(new THREE.Vector3(this.frame[o], this.frame[o + 1], this.frame[o + 2]));
            this.word(n++, b.name, '', p);
          }
        if (g.draw === 'tube')
          for (const r of g.items!.slice(0, 40)) {
            const o = r.at[r.at.length >> 1]!;
            this.word(n++, r.name, '', p.set(this.frame[o]!, this.frame[o + 1]!, this.frame[o + 2]!));
          }
      }
    }
    for (let i = n; i < this.pool.length; i++) this.pool[i]!.e.hidden = true;
  }

  // The name of what the pointer is on.
  pointOut(): void {
    const hint = el('div', { class: 'hint', hidden: true });
    let last = 0;
    this.picture.append(hint);
    this.canvas.addEventListener('pointermove', (e) => {
      if (e.buttons || performance.now() - last < 60) return;
      last = performance.now();
      const r = this.canvas.getBoundingClientRect();
      const picked = this.stage.pick(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2);
      hint.hidden = !picked;
      if (!picked) return;
      hint.textContent = `${picked.name}  ${picked.detail}`;
      hint.style.left = `${e.clientX - r.left}px`;
      hint.style.top = `${e.clientY - r.top}px`;
    });
    this.canvas.addEventListener('pointerleave', () => (hint.hidden = true));
  }

  render(force = false): boolean {
    const drawn = this.stage.render(force);
    if (drawn) this.updateLabels();
    return drawn;
  }
}

function unit(x: number): [number, string] {
  return x >= 1e9 ? [1e9, 'GPa'] : x >= 1e6 ? [1e6, 'MPa'] : x >= 1e3 ? [1e3, 'kPa'] : [1, 'Pa'];
}
