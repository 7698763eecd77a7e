// Small helpers for building the page.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((e: Event) => void) | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, x] of Object.entries(attributes)) {
    if (x === undefined || x === false) continue;
    if (typeof x === 'function') e.addEventListener(name.replace(/^on/, ''), x);
    else e.setAttribute(name, x === true ? '' : String(x));
  }
  for (const c of children) if (c) e.append(c);
  return e;
}

const icons: Record<string, string> = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z',
  step: 'M5 5v14l9-7zM16 5h3v14h-3z',
  reset: 'M12 5a7 7 0 1 1-6.7 5h2.2a5 5 0 1 0 4.5-3v3.2L7.5 6 12 1.8z',
  loop: 'M6 9h10V6l4 4-4 4v-3H8v3H6zM18 15H8v3l-4-4 4-4v3h8v-3h2z',
  home: 'M12 4 3.5 11.2l1.3 1.5L6 11.7V20h5v-5h2v5h5v-8.3l1.2 1 1.3-1.5z',
  axes: 'M11 3h2v9.4l6.6 3.9-1 1.7L12 14.1 5.4 18l-1-1.7 6.6-3.9z',
  label: 'M4 6h16v9h-8l-4 4v-4H4z',
  trail: 'M4 18c3-9 6 2 9-5s4-6 7-7v2c-3 1-3.500 2-5.600 6.200-3.400 6-6-3.800-8.600 4.300z',
  follow: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM11 2h2v4h-2zM11 18h2v4h-2zM2 11h4v2H2zM18 11h4v2h-4z',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 5v14a7 7 0 0 0 0-14z',
  help: 'M11 17h2v2h-2zM12 5a4 4 0 0 0-4 4h2a2 2 0 1 1 3.200 1.600C12 11.600 11 12.300 11 15h2c0-1.700.700-2.300 1.700-3.100A4 4 0 0 0 12 5z',
};

export function icon(name: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name] ?? '');
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

export function button(name: string, label: string, action: () => void): HTMLButtonElement {
  const b = el('button', { type: 'button', class: 'icon', title: label, 'aria-label': label, onclick: action }, icon(name));
  return b;
}

export function press(b: HTMLButtonElement, on: boolean): void {
  b.setAttribute('aria-pressed', String(on));
}

export function swap(b: HTMLButtonElement, name: string, label: string): void {
  b.replaceChildren(icon(name));
  b.title = label;
  b.setAttribute('aria-label', label);
}

export function table(rows: [string, string][]): HTMLTableElement {
  return el('table', { class: 'facts' }, ...rows.map(([a, b]) => el('tr', {}, el('th', { scope: 'row' }, a), el('td', {}, b))));
}

// Tabs: arrow keys move between them.
export class Tabs {
  readonly bar = el('div', { class: 'tabs', role: 'tablist' });
  readonly body = el('div', { class: 'panels' });
  private readonly list: { tab: HTMLButtonElement; panel: HTMLElement; scroll: number; shown?: () => void }[] = [];
  private open = 0;

  add(name: string, panel: HTMLElement, shown?: () => void): void {
    const i = this.list.length;
    const tab = el('button', { type: 'button', role: 'tab', id: `tab-${i}`, 'aria-controls': `panel-${i}`, onclick: () => this.select(i) }, name);
    panel.setAttribute('role', 'tabpanel');
    panel.id = `panel-${i}`;
    panel.setAttribute('aria-labelledby', tab.id);
    tab.addEventListener('keydown', (e) => {
      const d = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (!d) return;
      e.stopPropagation();
      const k = (i + d + this.list.length) % this.list.length;
      this.select(k);
      this.list[k]!.tab.focus();
    });
    this.list.push({ tab, panel, scroll: 0, shown });
    this.bar.append(tab);
    this.body.append(panel);
    if (i === 0) this.select(0);
    else panel.hidden = true;
  }

  // Show a panel where it was last scrolled to, at first its top.
  select(i: number): void {
    const before = this.list[this.open];
    if (before) before.scroll = this.body.scrollTop;
    this.open = i;
    this.list.forEach((x, k) => {
      x.panel.hidden = k !== i;
      x.tab.setAttribute('aria-selected', String(k === i));
      x.tab.tabIndex = k === i ? 0 : -1;
    });
    this.list[i]?.shown?.();
    this.body.scrollTop = this.list[i]?.scroll ?? 0;
  }
}
