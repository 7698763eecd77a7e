// The live view: a model that runs in the program behind the page.  Text messages bring the model, errors and
// trouble; binary ones a picture each.  Every picture is acknowledged once it is drawn, so that none pile up.
import * as THREE from 'three';
import type { Live, SceneData, Source, Understood } from './data';
import { format, stem } from './data';
import { modelPanel } from './panels';
import { Plots } from './plots';
import { Shell } from './shell';
import type { Picked } from './drawings';
import { button, el, swap } from './ui';

interface Knob {
  name: string;
  value: number;
  reloads?: boolean;
  low?: number; // the range that the model gives, if it does
  high?: number;
  log?: boolean; // it counts by factors
}
interface ModelMessage {
  type: 'model';
  serial: number;
  title: string;
  scene: SceneData;
  params: Knob[];
  inputs: Knob[];
  sensors: string[];
  units: string[]; // of the sensors, '' where it cannot be told
  sources: Source[];
  understood: Understood;
}
type Message = ModelMessage | { type: 'errors' | 'trouble'; text: string };

const empty: SceneData = { format: 1, size: 1, up: [0, 0, 1], gravity: 0, groups: [], numbers: 0 };
const HEAD = 4;
const energies = ['kinetic', 'elastic', 'gravity'];
const WINDOW = 20; // seconds of plots

export class LivePage {
  readonly shell: Shell;
  private socket: WebSocket | null = null;
  private model: ModelMessage | null = null;
  private latest: Float32Array | null = null;
  private unseen = 0;
  private time = 0;
  private running = false;
  private speed = 1;
  private messages = 0;
  private settled = false;
  private plots: Plots | null = null;
  private history: { t: number[]; columns: number[][] } = { t: [], columns: [] };
  private held: { picked: Picked; plane: THREE.Plane } | null = null;
  private errorText = '';
  private readonly errors = el('div', { class: 'errors', role: 'alert', hidden: true });
  private readonly playButton = button('pause', 'run or pause (space)', () => this.send({ do: this.running ? 'pause' : 'play' }));
  private readonly clock = el('output', {});
  private readonly controls = el('div', { class: 'text' });
  private readonly plotPanel = el('div', {});
  private readonly modelBox = el('div', {});
  private readonly strength = el('input', { type: 'range', min: -2, max: 4, step: 0.1, value: 0, id: 'strength' });

  constructor(data: Live) {
    this.shell = new Shell(data.title, empty, [
      { keys: 'Space', text: 'run or pause' },
      { keys: '.', text: 'one step' },
      { keys: 'R', text: 'back to the start' },
      { keys: 'drag', text: 'pull at a body or a rod' },
    ]);
    this.shell.onTheme = (t) => this.plots?.setTheme(t);
    this.shell.onKey = (e) => this.key(e);
    this.shell.measured = () => (this.latest ? [this.picture()] : []);
    this.shell.picture.append(this.errors);
    this.shell.pointOut();
    this.buildBar();
    this.shell.tabs.add('Controls', this.controls);
    this.shell.tabs.add('Plots', this.plotPanel, () => this.plots?.setTheme(this.shell.theme));
    this.shell.tabs.add('Model', this.modelBox);
    this.listenToPointer();
    this.connect();
    const tick = () => {
      this.draw();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    // pictures are acknowledged even when the browser does not draw
    setInterval(() => this.acknowledge(), 500);
  }

  // ---- talking

  private connect(): void {
    const url = location.href.split(/[?#]/)[0]!.replace(/^http/, 'ws').replace(/\/?$/, '/live');
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = (e) => {
      if (typeof e.data === 'string') this.hear(JSON.parse(e.data) as Message);
      else this.see(new Float32Array(e.data as ArrayBuffer));
    };
    socket.onopen = () => this.showErrors();
    socket.onclose = (e) => {
      this.socket = null;
      if (e.code === 4001) return this.showErrors('Another page took the place of this one. Reload to see the model here.');
      this.showErrors('The program behind this page has ended, or another page took its place. Reload when it runs again.');
      setTimeout(() => this.connect(), 1500);
    };
    this.socket = socket;
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private acknowledge(): void {
    for (; this.unseen > 0; this.unseen--) if (this.socket?.readyState === WebSocket.OPEN) this.socket.send('seen');
  }

  private hear(m: Message): void {
    this.messages++;
    if (m.type === 'model') this.setModel(m);
    else if (m.type === 'errors') {
      this.errorText = m.text;
      this.showErrors();
    } else this.showTrouble(m.text);
  }

  private showErrors(lost = ''): void {
    this.errors.hidden = !this.errorText && !lost;
    this.errors.replaceChildren(
      el('h2', {}, lost ? 'Not connected' : 'The model has errors' + (this.model ? '; the last good one is shown' : '')),
      lost ? lost : el('pre', {}, this.errorText),
    );
  }

  private trouble = '';
  private showTrouble(text: string): void {
    this.trouble = text;
    this.controls.querySelector('.warning')?.remove();
    if (text) this.controls.prepend(el('p', { class: 'warning' }, text));
  }

  // ---- the model

  private setModel(m: ModelMessage): void {
    const again = this.model !== null && Math.abs(Math.log(m.scene.size / this.model.scene.size)) < 0.5;
    this.model = m;
    this.latest = null;
    this.settled = again;
    this.shell.title.textContent = m.title.replace(/^.*\//, '');
    const { stage } = this.shell;
    stage.up.set(m.scene.up[0]!, m.scene.up[1]!, m.scene.up[2]!);
    stage.camera.up.copy(stage.up);
    stage.build(m.scene);
    this.buildControls(m);
    this.buildPlots(m);
    this.modelBox.replaceChildren(modelPanel(m.scene, m.understood, undefined, m.sources));
  }

  private buildControls(m: ModelMessage): void {
    const focus = document.activeElement?.id;
    const section = (title: string, kind: 'param' | 'input', list: Knob[]) =>
      list.length ? [el('h2', {}, title), ...list.map((k) => this.knob(kind, k))] : [];
    const rows = [...section('Parameters', 'param', m.params), ...section('Inputs', 'input', m.inputs)];
    this.controls.replaceChildren(
      ...rows,
      el('h2', {}, 'Hand'),
      el('div', { class: 'row', style: 'grid-template-columns: 92px 1fr' }, el('label', { for: 'strength' }, 'strength'), this.strength),
      el('p', { class: 'soft' }, rows.length ? 'Drag a body or a rod in the picture to pull at it.' : 'This model has no param and no input. Drag a body or a rod in the picture to pull at it.'),
    );
    if (this.trouble) this.showTrouble(this.trouble);
    if (focus) document.getElementById(focus)?.focus();
  }

  // A slider about the value a knob was first seen with: from nought to three times it, and as far about a later value
  // beyond that.  Nothing tells the size of a knob at nought: its range starts small and grows tenfold whenever the
  // slider is left at an end.  Where the model gives a range, that is it.
  private ranges = new Map<string, [number, number]>();
  private knob(kind: 'param' | 'input', k: Knob): HTMLElement {
    const id = `${kind}-${k.name}`;
    if (k.low !== undefined && k.high !== undefined) return this.rangedKnob(kind, k, k.low, k.high);
    const known = this.ranges.get(id);
    let [low, high]: [number, number] = known ?? (k.value === 0 ? [-1, 1] : [k.value, k.value]);
    if (!known || k.value < low || k.value > high) {
      const room = 3 * Math.abs(k.value);
      low = Math.min(low, kind === 'input' || k.value < 0 ? -room : 0);
      high = Math.max(high, room);
    }
    this.ranges.set(id, [low, high]);
    const slider = el('input', { type: 'range', id, min: low, max: high, step: 'any', value: k.value });
    const number = el('input', { type: 'number', step: 'any', value: Number(k.value.toPrecision(6)), 'aria-label': k.name });
    const set = (x: number) => this.send({ do: kind, name: k.name, value: x });
    slider.addEventListener(k.reloads ? 'change' : 'input', () => {
      number.value = String(Number(Number(slider.value).toPrecision(4)));
      set(Number(slider.value));
    });
    slider.addEventListener('change', () => {
      const x = Number(slider.value);
      if (x !== low && x !== high) return;
      if (x === high && high > 0) high *= 10;
      if (x === low && low < 0) low *= 10;
      if (low < 0 && high > 0) low = -(high = Math.max(high, -low));
      this.ranges.set(id, [low, high]);
      slider.min = String(low);
      slider.max = String(high);
    });
    number.addEventListener('change', () => {
      const x = Number(number.value);
      if (!Number.isFinite(x)) return;
      low = Math.min(low, x);
      high = Math.max(high, x);
      this.ranges.set(id, [low, high]);
      slider.min = String(low);
      slider.max = String(high);
      slider.value = String(x);
      set(x);
    });
    return el('div', { class: 'row' }, el('label', { for: id, title: k.reloads ? 'changes the structure: the model is loaded again' : k.name }, k.name), slider, number);
  }

  private rangedKnob(kind: 'param' | 'input', k: Knob, low: number, high: number): HTMLElement {
    const id = `${kind}-${k.name}`;
    const place = (x: number) => (k.log ? Math.log(x) : x), back = (x: number) => (k.log ? Math.exp(x) : x);
    const inside = (x: number) => Math.min(Math.max(x, low), high);
    const slider = el('input', { type: 'range', id, min: place(low), max: place(high), step: 'any', value: place(k.value) });
    const number = el('input', { type: 'number', step: 'any', min: low, max: high, value: Number(k.value.toPrecision(6)), 'aria-label': k.name });
    const set = (x: number) => this.send({ do: kind, name: k.name, value: x });
    slider.addEventListener(k.reloads ? 'change' : 'input', () => {
      const x = inside(back(Number(slider.value)));
      number.value = String(Number(x.toPrecision(4)));
      set(x);
    });
    number.addEventListener('change', () => {
      if (number.value === '' || !Number.isFinite(Number(number.value))) return;
      const x = inside(Number(number.value));
      number.value = String(x);
      slider.value = String(place(x));
      set(x);
    });
    const title = `${k.name}: ${low} to ${high}` + (k.reloads ? '; changes the structure: the model is loaded again' : '');
    return el('div', { class: 'row' }, el('label', { for: id, title }, k.name), slider, number);
  }

  private buildPlots(m: ModelMessage): void {
    const names = [...m.sensors, ...energies];
    this.history = { t: [], columns: names.map(() => []) };
    const by = new Map<string, { name: string; unit: string; x: number[] }[]>();
    m.sensors.forEach((name, i) => by.set(stem(name), [...(by.get(stem(name)) ?? []), { name, unit: m.units[i] ?? '', x: [] }]));
    const list = [...by].map(([title, curves], i) => ({ title, curves, open: i < 4 }));
    list.push({ title: 'Energy', curves: energies.map((name) => ({ name, unit: 'J', x: [] })), open: true });
    this.plots = new Plots([], list);
    this.plots.setTheme(this.shell.theme);
    this.plotPanel.replaceChildren(this.plots.element);
  }

  // ---- pictures

  private see(x: Float32Array): void {
    this.unseen++;
    this.messages++;
    if (!this.model || x[0] !== this.model.serial) return;
    this.latest = x;
    this.remember(x);
  }

  private remember(x: Float32Array): void {
    const h = this.history;
    const t = x[1]!;
    if (h.t.length && t < h.t[h.t.length - 1]!) {
      h.t.length = 0;
      h.columns.forEach((c) => (c.length = 0));
    }
    if (h.t.length && t === h.t[h.t.length - 1]) return;
    h.t.push(t);
    h.columns.forEach((c, i) => c.push(x[HEAD + i]!));
    if (h.t[0]! < t - WINDOW - 2) {
      const n = h.t.findIndex((s) => s >= t - WINDOW);
      h.t.splice(0, n);
      h.columns.forEach((c) => c.splice(0, n));
    }
  }

  private picture(): Float32Array {
    return this.latest!.subarray(HEAD + this.model!.sensors.length + energies.length);
  }

  private tickCount = 0;
  private plotted = 0;
  private draw(): void {
    if (this.latest && this.unseen > 0) {
      const frame = this.picture();
      [, this.time, , this.speed] = this.latest as unknown as [number, number, number, number];
      this.running = this.latest[2] === 1;
      if (!this.settled) {
        this.settled = true;
        this.shell.stage.measure([frame], 0.12);
        this.shell.stage.home();
        this.shell.showScale();
      }
      this.shell.stage.learn(frame);
      this.shell.show(frame);
      if (this.tickCount++ % 30 === 0) this.shell.showLegend();
      // ten times a second is enough for curves, however fast pictures come
      if (!this.plotPanel.hidden && performance.now() - this.plotted > 100) {
        this.plots?.setData(this.history.t, this.history.columns);
        this.plotted = performance.now();
      }
      swap(this.playButton, this.running ? 'pause' : 'play', 'run or pause (space)');
      this.clock.textContent = `${this.time.toFixed(2)} s`;
      this.shell.meta.textContent = this.running && this.speed < 0.9 ? `${format(this.speed, 2)} \u00d7 real time` : 'live';
      this.drawPull();
    }
    this.shell.render();
    this.acknowledge();
  }

  // ---- controls

  private buildBar(): void {
    const pace = el('select', { 'aria-label': 'pace' }, ...[0.05, 0.1, 0.25, 0.5, 1, 2, 5].map((s) => el('option', { value: s, selected: s === 1 }, `${s}\u00d7`)));
    pace.addEventListener('change', () => this.send({ do: 'pace', value: Number(pace.value) }));
    this.shell.bar.append(
      this.playButton,
      button('step', 'one step (.)', () => this.send({ do: 'step' })),
      button('reset', 'back to the start (R)', () => this.send({ do: 'reset' })),
      el('span', { style: 'flex: 1' }),
      this.clock,
      pace,
    );
  }

  private key(e: KeyboardEvent): boolean {
    if ((e.target as HTMLElement).tagName === 'BUTTON' && e.key === ' ') return false;
    const actions: Record<string, object> = {
      ' ': { do: this.running ? 'pause' : 'play' },
      '.': { do: 'step' },
      r: { do: 'reset' },
    };
    const a = actions[e.key.toLowerCase()];
    if (a) this.send(a);
    return !!a;
  }

  // ---- the hand

  private place(e: PointerEvent): [number, number] {
    const r = this.shell.canvas.getBoundingClientRect();
    return [((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2];
  }

  private listenToPointer(): void {
    const { canvas, stage } = this.shell;
    canvas.addEventListener(
      'pointerdown',
      (e) => {
        if (e.button !== 0 || !this.model) return;
        const picked = stage.pick(...this.place(e));
        if (!picked || picked.station < 0) return;
        e.stopImmediatePropagation();
        canvas.setPointerCapture(e.pointerId);
        stage.controls.enabled = false;
        const normal = stage.camera.getWorldDirection(new THREE.Vector3());
        this.held = { picked, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, picked.point) };
        this.send({ do: 'grip', station: picked.station, point: picked.local.toArray(), strength: Math.pow(10, Number(this.strength.value)) });
      },
      { capture: true },
    );
    canvas.addEventListener('pointermove', (e) => {
      if (this.held) this.pullTo(e);
    });
    const drop = () => {
      if (!this.held) return;
      this.held = null;
      this.target = null;
      stage.controls.enabled = true;
      stage.setPull(null, null);
      this.send({ do: 'drop' });
    };
    canvas.addEventListener('pointerup', drop);
    canvas.addEventListener('pointercancel', drop);
  }

  private target: THREE.Vector3 | null = null;
  private pullTo(e: PointerEvent): void {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(...this.place(e)), this.shell.stage.camera);
    const target = ray.ray.intersectPlane(this.held!.plane, new THREE.Vector3());
    if (!target) return;
    this.target = target;
    this.send({ do: 'pull', target: target.toArray() });
  }

  // Where the held point is now.
  private drawPull(): void {
    if (!this.held || !this.target || !this.model) return;
    const x = this.picture();
    const { station, local, point } = this.held.picked;
    for (const g of this.model.scene.groups) {
      if (g.draw === 'solid')
        for (const b of g.items!) {
          if (b.station !== station) continue;
          const o = b.pose;
          const q = new THREE.Quaternion(x[o + 3], x[o + 4], x[o + 5], x[o + 6]).normalize();
          point.copy(local).applyQuaternion(q).add(new THREE.Vector3(x[o], x[o + 1], x[o + 2]));
        }
      const node = g.station?.indexOf(station) ?? -1;
      if (node >= 0) point.set(x[g.at![node]!]!, x[g.at![node]! + 1]!, x[g.at![node]! + 2]!);
      if (g.draw === 'tube')
        for (const r of g.items!) {
          const i = r.station.indexOf(station);
          if (i >= 0) point.set(x[r.at[i]!]!, x[r.at[i]! + 1]!, x[r.at[i]! + 2]!);
        }
    }
    this.shell.stage.setPull(point, this.target);
  }

  // For tests.
  get state() {
    return {
      serial: this.model?.serial ?? 0,
      time: this.time,
      running: this.running,
      errors: this.errors.hidden ? '' : (this.errors.textContent ?? ''),
      trouble: this.trouble,
      messages: this.messages,
      held: this.held?.picked.name ?? null,
      params: this.model?.params ?? [],
    };
  }
}
