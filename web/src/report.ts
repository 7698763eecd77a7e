// A report: replay, plots, modes and text of one run.
import type { Report } from './data';
import { floats, format, Rows } from './data';
import { findMarkers } from './markers';
import { modelPanel, runPanel, trustNotice } from './panels';
import { charts, Plots } from './plots';
import { Shell } from './shell';
import { Strains } from './strains';
import { button, el, press, swap } from './ui';

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

type Show = { what: 'motion' } | { what: 'equilibrium' } | { what: 'mode'; mode: number };

export class ReportPage {
  readonly shell: Shell;
  private readonly rows: Rows | null;
  private readonly times: number[];
  private readonly frame: Float32Array;
  private plots: Plots | null = null;
  strains: Strains | null = null;
  private show: Show = { what: 'motion' };
  private time: number;
  private phase = 0;
  playing = false;
  private loop = true;
  private speed = 1;
  private amplitude = 1;
  private readonly still: Float32Array;
  private readonly rest: Float32Array | null;
  private readonly modes: { plus: Float32Array; minus: Float32Array }[];
  private readonly scrub = el('input', { type: 'range', min: 0, max: 1, step: 'any', 'aria-label': 'time' });
  private readonly clock = el('output', {});
  private playButton!: HTMLButtonElement;
  private modeButtons: HTMLButtonElement[] = [];
  private source: HTMLSelectElement | null = null;

  constructor(readonly data: Report) {
    this.rows = data.motion ? new Rows(data.motion.frames) : null;
    this.times = data.motion?.t ?? [0];
    this.time = this.times[0]!;
    this.still = floats(data.still);
    this.rest = data.equilibrium ? floats(data.equilibrium) : null;
    this.modes = (data.modes ?? []).map((m) => ({ plus: floats(m.plus), minus: floats(m.minus) }));
    this.frame = new Float32Array(data.scene.numbers);
    this.shell = new Shell(data.title, data.scene, [
      { keys: 'Space', text: 'play or pause' },
      { keys: '\u2190 \u2192', text: 'one frame back or on' },
      { keys: 'Home End', text: 'first or last frame' },
      { keys: '[ ]', text: 'slower or faster' },
      { keys: 'L', text: 'loop' },
      { keys: 'M', text: 'motion, or the equilibrium' },
      { keys: '1 \u2026 9', text: 'mode shapes' },
    ]);
    this.shell.onKey = (e) => this.key(e);
    this.shell.onTheme = (t) => {
      this.plots?.setTheme(t);
      this.strains?.setTheme(t);
    };
    this.shell.measured = () => this.sampled();
    this.shell.pointOut();
    if (!this.rows && this.rest) this.show = { what: 'equilibrium' };
    this.stageUp();
    this.buildBar();
    this.buildTabs();
    this.setMeta();
    this.update();
    requestAnimationFrame((now) => this.tick(now));
  }

  // Frames that show what there is to see, enough to know how large things get.
  private *sampled(): Iterable<Float32Array> {
    if (this.rows) {
      const n = this.rows.count;
      const step = Math.max(1, Math.floor(n / 150));
      for (let r = 0; r < n; r += step) {
        this.rows.get(r, 0, this.frame);
        yield this.frame;
      }
    } else {
      yield this.still;
      if (this.rest) yield this.rest;
      for (const m of this.modes) {
        yield m.plus;
        yield m.minus;
      }
    }
  }

  private stageUp(): void {
    const { stage } = this.shell;
    stage.measure(this.sampled());
    stage.home();
    this.shell.showLegend();
    this.shell.showScale();
    const plots = this.data.plots;
    if (this.rows && plots) {
      const scratch = new Float32Array(this.data.scene.numbers);
      const found = findMarkers(this.data.scene, plots.groups.find((g) => g.name === 'Sensors'), plots.t, (t) => {
        this.frameAt(t, scratch);
        return scratch;
      });
      this.shell.markers = found.markers;
      stage.setTrails(found.trails);
    }
  }

  private setMeta(): void {
    const s = this.data.summary ?? {};
    const parts: string[] = [];
    if (s.trust) parts.push(`trust: ${s.trust.verdict}`);
    const dof = s.sizes ? Math.max(s.sizes.nfree - s.sizes.constraints, 0) : undefined;
    if (dof !== undefined) parts.push(`${dof} DOF`);
    if (this.rows) parts.push(`${format(this.times[this.times.length - 1]! - this.times[0]!)} s`);
    if (s.timings?.simulate > 0 && s.simulation) {
      const span = s.simulation.t_end - this.times[0]!;
      parts.push(`${format(span / s.timings.simulate, 3)} \u00d7 real time`);
    }
    const notice = trustNotice(s);
    if (notice) this.shell.notice.replaceChildren(notice);
    this.shell.meta.textContent = parts.join('  \u00b7  ');
  }

  // ---- controls

  private buildBar(): void {
    const { bar } = this.shell;
    this.playButton = button('play', 'play or pause (space)', () => this.play(!this.playing));
    const loop = button('loop', 'loop (L)', () => {
      this.loop = !this.loop;
      press(loop, this.loop);
    });
    press(loop, this.loop);
    loop.dataset.role = 'loop';
    this.scrub.addEventListener('input', () => {
      this.play(false);
      this.seek(this.times[0]! + Number(this.scrub.value) * this.duration);
    });
    const speed = el('select', { 'aria-label': 'speed' }, ...speeds.map((s) => el('option', { value: s, selected: s === 1 }, `${s}\u00d7`)));
    speed.dataset.role = 'speed';
    speed.addEventListener('change', () => (this.speed = Number(speed.value)));
    bar.append(this.playButton, this.scrub, this.clock, speed, loop);
    const options: [string, string][] = [];
    if (this.rows) options.push(['motion', 'motion']);
    if (this.rest) options.push(['equilibrium', 'equilibrium']);
    this.modes.forEach((_, i) => options.push([`mode ${i}`, `mode ${i + 1}`]));
    if (options.length > 1) {
      this.source = el('select', { 'aria-label': 'what is shown' }, ...options.map(([v, text]) => el('option', { value: v }, text)));
      this.source.addEventListener('change', () => {
        const v = this.source!.value;
        this.choose(v.startsWith('mode') ? { what: 'mode', mode: Number(v.slice(5)) } : { what: v as 'motion' });
      });
      bar.prepend(this.source);
    }
  }

  private buildTabs(): void {
    const { tabs } = this.shell;
    const { plots } = this.data;
    if (plots) {
      this.plots = new Plots(plots.t, charts(plots.t, plots.groups), plots.events);
      this.plots.onSeek = (t) => {
        this.play(false);
        this.choose({ what: 'motion' });
        this.seek(t);
      };
      this.plots.setTheme(this.shell.theme);
      tabs.add('Plots', this.plots.element);
    }
    if (this.data.strains?.rods.length) {
      this.strains = new Strains(this.data.strains);
      this.strains.setTheme(this.shell.theme);
      tabs.add('Strains', this.strains.element);
    }
    if (this.modes.length) tabs.add('Modes', this.modesPanel());
    tabs.add('Model', modelPanel(this.data.scene, this.data.understood, this.data.summary, this.data.sources));
    tabs.add('Run', runPanel(this.data));
  }

  private modesPanel(): HTMLElement {
    const list = el('div', { class: 'modes' });
    this.data.modes!.forEach((m, i) => {
      const b = el(
        'button',
        { type: 'button', 'aria-pressed': 'false', onclick: () => this.choose({ what: 'mode', mode: i }) },
        el('b', {}, String(i + 1)),
        el('span', {}, m.frequency < 0 ? 'unstable' : `${format(m.frequency, 5)}${m.error === undefined ? '' : ` \u00b1 ${format(m.error, 2)}`} Hz`),
        el('small', {}, m.frequency < 0 ? `growth ${format(-m.frequency * 2 * Math.PI, 3)}/s` : `\u03b6 = ${format(m.damping, 3)}`),
      );
      this.modeButtons.push(b);
      list.append(b);
    });
    const slider = el('input', { type: 'range', min: 0, max: 2, step: 0.01, value: 1, id: 'amplitude' });
    slider.addEventListener('input', () => {
      this.amplitude = Number(slider.value);
      this.update();
    });
    return el(
      'div',
      { class: 'text' },
      el('div', { class: 'row', style: 'grid-template-columns: 92px 1fr' }, el('label', { for: 'amplitude' }, 'amplitude'), slider),
      list,
      el('p', { class: 'soft' }, 'Shapes about the equilibrium, slowed down to one swing in two seconds; \u03b6 is the damping ratio.'),
    );
  }

  private key(e: KeyboardEvent): boolean {
    const step = this.duration / Math.max(this.times.length - 1, 1);
    const button = (e.target as HTMLElement).tagName === 'BUTTON' || (e.target as HTMLElement).tagName === 'SUMMARY';
    const speed = this.shell.bar.querySelector<HTMLSelectElement>('[data-role=speed]')!;
    const faster = (d: number) => {
      speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + d, 0), speeds.length - 1);
      this.speed = Number(speed.value);
    };
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.seek(this.time - step),
      ArrowRight: () => this.seek(this.time + step),
      Home: () => this.seek(this.times[0]!),
      End: () => this.seek(this.times[this.times.length - 1]!),
      l: () => this.shell.bar.querySelector<HTMLButtonElement>('[data-role=loop]')!.click(),
      m: () => this.choose({ what: this.show.what === 'motion' && this.rest ? 'equilibrium' : this.rows ? 'motion' : 'equilibrium' }),
      '[': () => faster(-1),
      ']': () => faster(1),
    };
    if (e.key === ' ' && !button) {
      this.play(!this.playing);
      return true;
    }
    if (/^[1-9]$/.test(e.key) && this.modes[Number(e.key) - 1]) {
      this.choose({ what: 'mode', mode: Number(e.key) - 1 });
      return true;
    }
    const action = actions[e.key];
    if (!action || (e.key.startsWith('Arrow') && e.target === this.scrub)) return false;
    action();
    return true;
  }

  // ---- time

  get duration(): number {
    return this.times[this.times.length - 1]! - this.times[0]!;
  }

  choose(show: Show): void {
    if (show.what === 'motion' && !this.rows) return;
    this.show = show;
    this.phase = show.what === 'mode' ? 0 : this.phase;
    this.play(show.what === 'mode' || (show.what === 'motion' && this.playing));
    this.modeButtons.forEach((b, i) => press(b, show.what === 'mode' && show.mode === i));
    if (this.source) this.source.value = show.what === 'mode' ? `mode ${show.mode}` : show.what;
    this.update();
  }

  play(on: boolean): void {
    if (on && this.show.what === 'equilibrium') this.choose({ what: 'motion' });
    if (on && this.show.what === 'motion') {
      if (!this.rows) on = false;
      else if (this.time >= this.times[this.times.length - 1]!) this.time = this.times[0]!;
    }
    this.playing = on;
    swap(this.playButton, on ? 'pause' : 'play', 'play or pause (space)');
  }

  seek(t: number): void {
    if (this.show.what !== 'motion') this.choose({ what: 'motion' });
    this.time = Math.min(Math.max(t, this.times[0]!), this.times[this.times.length - 1]!);
    this.update();
  }

  private frameAt(t: number, out: Float32Array): void {
    let low = 0;
    let high = this.times.length - 1;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= t) low = middle;
      else high = middle;
    }
    const a = this.times[low]!;
    const b = this.times[Math.min(low + 1, this.times.length - 1)]!;
    this.rows!.get(low, b > a ? Math.min(Math.max((t - a) / (b - a), 0), 1) : 0, out);
  }

  // Through both displaced shapes and the equilibrium, so that large amplitudes bend as they should.
  private modeFrame(i: number, s: number): void {
    const { plus, minus } = this.modes[i]!;
    const rest = this.rest!;
    for (let k = 0; k < rest.length; k++) {
      const r = rest[k]!;
      this.frame[k] = r + 0.5 * s * (plus[k]! - minus[k]!) + 0.5 * s * s * (plus[k]! + minus[k]! - 2 * r);
    }
  }

  private update(): void {
    const { show } = this;
    if (show.what === 'mode') this.modeFrame(show.mode, this.amplitude * Math.sin(this.phase));
    else if (show.what === 'equilibrium' && this.rest) this.frame.set(this.rest);
    else if (this.rows) this.frameAt(this.time, this.frame);
    else this.frame.set(this.still);
    this.shell.show(this.frame);
    const moving = show.what === 'motion' && !!this.rows;
    this.scrub.disabled = !moving;
    if (moving) {
      this.scrub.value = String(this.duration > 0 ? (this.time - this.times[0]!) / this.duration : 0);
      this.plots?.setTime(this.time);
      this.strains?.setTime(this.time);
    }
    const digits = this.duration >= 10 ? 2 : this.duration >= 1 ? 3 : 4;
    this.clock.textContent = moving
      ? `${this.time.toFixed(digits)} / ${this.times[this.times.length - 1]!.toFixed(digits)} s`
      : show.what === 'mode'
        ? `${format(this.data.modes![show.mode]!.frequency, 4)} Hz`
        : show.what === 'equilibrium' && this.rest
          ? 'at rest'
          : '';
    const note = moving ? `t = ${this.time.toFixed(digits)} s` : show.what === 'mode' ? `mode ${show.mode + 1}, ${this.clock.textContent}` : (this.clock.textContent ?? '');
    this.shell.caption.replaceChildren(this.data.title, el('small', {}, note));
  }

  private last = 0;
  private tick(now: number): void {
    const dt = this.last ? Math.min((now - this.last) / 1000, 0.1) : 0;
    this.last = now;
    if (this.playing && this.show.what === 'mode') {
      this.phase += Math.PI * dt * Math.min(this.speed, 4);
      this.update();
    } else if (this.playing) {
      const end = this.times[this.times.length - 1]!;
      this.time += dt * this.speed;
      if (this.time >= end) {
        if (this.loop) this.time = this.times[0]! + ((this.time - this.times[0]!) % Math.max(this.duration, 1e-9));
        else {
          this.time = end;
          this.play(false);
        }
      }
      this.update();
    }
    this.shell.render();
    requestAnimationFrame((t) => this.tick(t));
  }

  // For tests, screenshots and videos.
  get state() {
    return { time: this.time, show: this.show, playing: this.playing, cursor: this.plots?.time ?? null, frame: this.frame };
  }
  get end(): number {
    return this.times[this.times.length - 1]!;
  }
  get start(): number {
    return this.times[0]!;
  }
  get hasMotion(): boolean {
    return !!this.rows;
  }
}
