// What the text panels say: the model and the run.
import type { Report, Rod, SceneData, Source, Summary, Understood } from './data';
import { format } from './data';
import { el, table } from './ui';

export function sourceView(sources: Source[]): HTMLElement {
  const box = el('div', { class: 'sources' });
  for (const s of sources) {
    const list = el('ol', {});
    const lines = s.text.replace(/\n$/, '').split('\n');
    for (const line of lines) {
      const comment = /^\s*[%#]/.test(line);
      list.append(el('li', comment ? { class: 'comment' } : {}, line || ' '));
    }
    box.append(el('details', { open: true }, el('summary', {}, s.name), list));
  }
  return box;
}

function names(title: string, list: string[]): HTMLElement | null {
  if (!list.length) return null;
  return el('details', {}, el('summary', {}, `${title} (${list.length})`), el('ul', { class: 'names' }, ...list.map((n) => el('li', {}, n))));
}

// What n means in a model of rods, in the words of `check`.
function pieces(r: Rod): string {
  return r.model === 'gvs' ? '' : r.model === 'rom' ? `, order ${r.n}` : `, ${r.n} segments`;
}

export function modelPanel(scene: SceneData, u: Understood | undefined, summary: Summary | undefined, sources: Source[] | undefined): HTMLElement {
  const bodies = scene.groups.filter((g) => g.draw === 'solid').flatMap((g) => g.items ?? []);
  const sizes = (summary?.sizes ?? {}) as Record<string, number>;
  const box = el('div', { class: 'text' });
  const facts: [string, string][] = Object.entries(sizes).map(([k, v]) => [k.replace(/_/g, ' '), String(v)]);
  if (facts.length) box.append(el('h2', {}, 'What was understood'), table(facts));
  const parameters = Object.entries((summary?.parameters ?? {}) as Record<string, number>);
  if (parameters.length) box.append(el('h2', {}, 'Parameters'), table(parameters.map(([k, v]) => [k, format(v, 6)])));
  if (u?.rods.length)
    box.append(
      el('h2', {}, 'Rods'),
      table(u.rods.map((r) => [r.name, `${r.model}${pieces(r)}, ${format(r.length)} m, ${r.dof} DOF`])),
    );
  if (bodies.length && bodies.length <= 60)
    box.append(el('h2', {}, 'Bodies'), table(bodies.map((b) => [b.name, `${format(b.mass)} kg`])));
  if (u)
    for (const x of [names('Joints', u.joints), names('Coordinates', u.positions), names('Forces', u.forces), names('Constraints', u.constraints), names('Inputs', u.inputs)])
      if (x) box.append(x);
  if (sources?.length) box.append(el('h2', {}, 'Text'), sourceView(sources));
  return box;
}

// Nested objects as tables, in the order they come.
function facts(o: Record<string, unknown>): [string, string][] {
  return Object.entries(o)
    .filter(([, v]) => v === null || typeof v !== 'object')
    .filter(([, v]) => v !== '' && v !== null)
    .map(([k, v]) => [k.replace(/_/g, ' ') + (k === 't' || k === 't_end' ? ' [s]' : ''), typeof v === 'number' ? format(v, 6) : String(v)]);
}

// The verdict on a simulation where there is one to read; null: it is to be trusted, or there was none.
export function trustNotice(s: Summary): HTMLElement | null {
  const trust = s.trust as { verdict: string; reasons: string[] } | undefined;
  if (!trust || trust.verdict === 'ok') return null;
  const head = trust.verdict === 'wrong' ? 'These results are wrong' : 'Have a look before using these results';
  return el('div', { class: 'warning' }, el('b', {}, head), el('ul', {}, ...trust.reasons.map((r) => el('li', {}, r))));
}

export function runPanel(r: Report): HTMLElement {
  const s = r.summary ?? {};
  const box = el('div', { class: 'text' });
  if (s.trust) box.append(el('h2', {}, 'Trust'), el('p', {}, [s.trust.verdict, ...s.trust.reasons].join(': ')));
  if (s.partial) box.append(el('p', { class: 'warning' }, 'This run is partial: it was stopped or failed half-way.'));
  if (s.simulation?.diagnosis) box.append(el('p', { class: 'warning' }, s.simulation.diagnosis));
  if (s.command) box.append(el('h2', {}, 'Command'), el('pre', { class: 'command' }, ...s.command.split(' ').flatMap((word: string) => [el('span', {}, word), ' '])));
  // sensors at the equilibrium, with their error bars
  const rest = s.equilibrium as { sensors?: Record<string, number | number[]>; errors?: Record<string, number | (number | null)[] | null> } | undefined;
  const sensors = Object.entries(rest?.sensors ?? {});
  if (sensors.length)
    box.append(
      el('h2', {}, 'Sensors at the equilibrium'),
      table(
        sensors.slice(0, 60).map(([name, x]) => {
          const errors = rest?.errors?.[name] ?? null;
          const first = Array.isArray(errors) ? (errors[0] ?? null) : errors;
          const values = (Array.isArray(x) ? x : [x]).map((v) => format(v, 6)).join(', ');
          return [name, values + (first === null ? '' : ` \u00b1 ${format(first, 2)}`)];
        }),
      ),
    );
  const sections: [string, string][] = [
    ['Accuracy', 'accuracy'],
    ['Equilibrium', 'equilibrium'],
    ['Simulation', 'simulation'],
    ['Energy [J]', 'energy'],
    ['Solver statistics', 'statistics'],
    ['Time taken [s]', 'timings'],
    ['Versions', 'versions'],
  ];
  for (const [title, key] of sections) {
    const rows = s[key] ? facts(s[key] as Record<string, unknown>).filter(([k]) => k !== 'diagnosis') : [];
    if (rows.length) box.append(el('h2', {}, title), table(rows));
  }
  box.append(el('p', { class: 'soft' }, `Written by Tendril ${r.version}.`));
  return box;
}
