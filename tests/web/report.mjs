// Reports in a real browser: they open without complaint, show the model, move, and are tied to their plots.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, open, place, run, source, tendril, test, until } from './check.mjs';

const models = ['four_bar', 'whisker', 'pneumatic_module'];
const report = (name) => `file://${join(place, `${name}.out`, 'report.html')}`;
for (const name of models) await tendril('demo', name, '--quiet', ...(name === 'whisker' ? ['--t-final', '0.2'] : []));
const b = await browser();

// Pixels stay in the page: `snap` keeps the picture under a name, `changed` says which pixels differ between two, all of
// them counted or those near a point listed.
const snap = (page, name) =>
  page.evaluate((n) => {
    tendril.render();
    const from = document.querySelector('canvas.scene');
    const to = document.createElement('canvas');
    to.width = from.width;
    to.height = from.height;
    const c = to.getContext('2d');
    c.drawImage(from, 0, 0);
    (window.snaps ??= {})[n] = c.getImageData(0, 0, to.width, to.height);
  }, name);

const changed = (page, a, b, { least = 30, near = null, radius = 0 } = {}) =>
  page.evaluate(
    ([na, nb, limit, p, r]) => {
      const x = window.snaps[na];
      const y = window.snaps[nb].data;
      const list = [];
      let count = 0;
      for (let i = 0; i < y.length; i += 4) {
        const d = Math.abs(x.data[i] - y[i]) + Math.abs(x.data[i + 1] - y[i + 1]) + Math.abs(x.data[i + 2] - y[i + 2]);
        if (d <= limit) continue;
        count++;
        const at = [((i / 4) % x.width) + 0.5, Math.floor(i / 4 / x.width) + 0.5];
        if (p && Math.hypot(at[0] - p.x, at[1] - p.y) < r) list.push(at);
      }
      return { count, part: count / (x.width * x.height), list };
    },
    [a, b, least, near, radius],
  );

const hideAll = (page, hidden) =>
  page.evaluate((h) => tendril.scene().groups.forEach((g) => tendril.hide(g.kind, h)), hidden);

for (const name of models) {
  test(`the report of ${name} opens without errors, asks for nothing else and shows the model`, async () => {
    const page = await open(b, report(name));
    await snap(page, 'full');
    await hideAll(page, true);
    await snap(page, 'empty');
    const shown = (await changed(page, 'full', 'empty')).part;
    console.log(`             ${name}: ${(100 * shown).toFixed(1)} % of the picture is model`);
    assert.ok(shown > 0.004, `only ${shown} of the picture`);
    assert.deepEqual(page.problems, []);
    assert.deepEqual(page.requests.filter((r) => !r.startsWith('file:') && !r.startsWith('data:')), []);
    await page.close();
  });

  test(`the report of ${name} plays, and its plots follow`, async () => {
    const page = await open(b, report(name));
    await snap(page, 'before');
    await page.locator('canvas.scene').focus();
    await page.keyboard.press('Space');
    await until(() => page.evaluate(() => tendril.state().time - tendril.span()[0] > 0.1 * (tendril.span()[1] - tendril.span()[0])), 'playing');
    await page.keyboard.press('Space');
    const s = await page.evaluate(() => tendril.state());
    assert.equal(s.playing, false);
    assert.ok(Math.abs(s.cursor - s.time) < 1e-9, `cursor at ${s.cursor}, replay at ${s.time}`);
    await snap(page, 'after');
    assert.ok((await changed(page, 'before', 'after')).count > 50, 'nothing moved');
    // and the replay follows the plot: a click in its middle
    const over = page.locator('.u-over').first();
    const box = await over.boundingBox();
    await page.mouse.click(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
    const [from, to] = await page.evaluate(() => tendril.span());
    const { time } = await page.evaluate(() => tendril.state());
    assert.ok(Math.abs(time - 0.5 * (from + to)) < 0.02 * (to - from), `clicked the middle, got ${time}`);
    assert.deepEqual(page.problems, []);
    await page.close();
  });
}

test('curves have their units: at the chart where all have one, else at each', async () => {
  const page = await open(b, report('whisker'));
  const titles = await page.locator('.plots summary').allTextContents();
  assert.ok(titles.includes('tip [m]'), titles.join(', '));
  assert.ok(titles.includes('Energy [J]'), titles.join(', '));
  const mixed = page.locator('.plots details', { hasText: 'Velocities' });
  const units = new Set(await mixed.locator('.chip small').allTextContents());
  const common = (await mixed.locator('summary small').count()) === 1;
  assert.ok(common !== units.size > 1, `one unit at the title or several at the curves: ${[...units]}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

// The tip as the library computed it, against the pixel where the drawn rod ends.
test('the tip of a rod is drawn within 3 pixels of where it is', async () => {
  const page = await open(b, report('whisker'));
  const rows = readFileSync(join(place, 'whisker.out', 'trajectory.csv'), 'utf8').trim().split('\n').map((l) => l.split(','));
  const column = (n) => rows[0].indexOf(n);
  for (const i of [1, 60, 130, 200]) {
    const row = rows[i].map(Number);
    const tip = ['tip_x', 'tip_y', 'tip_z'].map((n) => row[column(n)]);
    await page.evaluate((t) => tendril.seek(t), row[0]);
    await page.evaluate(() => document.querySelector('[title^="paths"]').getAttribute('aria-pressed') === 'true' && document.querySelector('[title^="paths"]').click());
    const want = await page.evaluate((p) => tendril.project(...p), tip);
    const rod = await page.evaluate(() => {
      const r = tendril.scene().groups.find((g) => g.kind === 'rod').items[0];
      const o = r.at[r.at.length - 2];
      const f = tendril.frame();
      return tendril.project(f[o], f[o + 1], f[o + 2]);
    });
    const d = Math.hypot(want.x - rod.x, want.y - rod.y);
    const along = [(want.x - rod.x) / d, (want.y - rod.y) / d];
    await snap(page, 'full');
    await page.evaluate(() => tendril.hide('rod', true));
    await snap(page, 'without');
    await page.evaluate(() => tendril.hide('rod', false));
    const near = (await changed(page, 'full', 'without', { least: 20, near: want, radius: 15 })).list;
    assert.ok(near.length > 5, `nothing is drawn near the tip at t = ${row[0]}`);
    const end = Math.max(...near.map(([x, y]) => (x - want.x) * along[0] + (y - want.y) * along[1]));
    const side = near.map(([x, y]) => Math.abs(-(x - want.x) * along[1] + (y - want.y) * along[0]));
    console.log(`             t = ${row[0]}: the rod ends ${end.toFixed(1)} px from its tip, ${Math.min(...side).toFixed(1)} px beside it`);
    assert.ok(Math.abs(end) <= 3 && Math.min(...side) <= 3);
  }
  await page.close();
});

test('modes swing about the equilibrium, as far as the slider says', async () => {
  const page = await open(b, report('four_bar'));
  await page.evaluate(() => tendril.choose('equilibrium'));
  const rest = await page.evaluate(() => tendril.frame());
  await page.keyboard.press('1');
  assert.deepEqual(await page.evaluate(() => tendril.state().show), { what: 'mode', mode: 0 });
  const far = () => page.evaluate((r) => Math.max(...tendril.frame().map((x, i) => Math.abs(x - r[i]))), rest);
  await until(async () => (await far()) > 1e-2, 'a mode that moves');
  await page.getByRole('tab', { name: 'Modes' }).click();
  assert.match(await page.locator('.modes').innerText(), /Hz/);
  await page.locator('#amplitude').fill('0');
  await until(async () => (await far()) < 1e-6, 'no amplitude, no motion');
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('keys, tabs and themes work', async () => {
  const page = await open(b, report('pneumatic_module'), { colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.keyboard.press('t');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => tendril.state().time === tendril.span()[1]), true);
  await page.keyboard.press('Home');
  assert.equal(await page.evaluate(() => tendril.state().time === tendril.span()[0]), true);
  await page.keyboard.press('c');
  assert.match(await page.locator('.legend').innerText(), /stress/);
  await page.getByRole('tab', { name: 'Model' }).click();
  assert.match(await page.locator('.sources').innerText(), /rod\(1\)\.name = 'module';/);
  await page.getByRole('tab', { name: 'Run' }).click();
  const text = await page.locator('.panels').innerText();
  assert.match(text, /tendril demo pneumatic_module/);
  assert.match(text, /SUNDIALS/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('on a phone nothing is cut off', async () => {
  const page = await open(b, report('four_bar'), { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  for (const label of ['play or pause (space)', 'light or dark (T)', 'the whole model (H)']) {
    const box = await page.getByRole('button', { name: label }).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390, label);
  }
  await page.close();
});

test('without WebGL the plots and the text are still there', async () => {
  const page = await b.newPage();
  await page.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return /webgl/.test(kind) ? null : get.call(this, kind, ...rest);
    };
  });
  await page.goto(report('four_bar'));
  await page.waitForFunction(() => window.tendril);
  assert.match(await page.locator('.picture').innerText(), /no WebGL/);
  assert.ok((await page.locator('.u-over').count()) > 2);
  await page.close();
});

// 10^4 nodes and 2 x 10^4 beams, as a net will be: one draw call for each kind and pass, whatever the count.
test('a large net takes few draw calls', async () => {
  const n = 100;
  const rows = 4;
  const at = (i, j) => 3 * (i * n + j);
  const a = [];
  const e = [];
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      if (i + 1 < n) a.push(at(i, j)) && e.push(at(i + 1, j));
      if (j + 1 < n) a.push(at(i, j)) && e.push(at(i, j + 1));
    }
  const numbers = 3 * n * n;
  const steps = new Uint16Array(rows * numbers);
  for (let r = 0; r < rows; r++)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const o = r * numbers + at(i, j);
        steps[o] = (65535 * i) / n;
        steps[o + 1] = (65535 * j) / n;
        steps[o + 2] = 9000 * (1 + Math.sin(i / 8 + r) * Math.cos(j / 9));
      }
  const scene = { format: 1, size: 1.4, up: [0, 0, 1], gravity: 9.81, numbers, groups: [{ kind: 'beam', draw: 'bar', name: [], a, b: e }] };
  const all = [...Array(numbers).keys()];
  const data = {
    tendril: 'report', version: '0', title: 'net', scene, still: Buffer.from(new Float32Array(numbers).buffer).toString('base64'),
    motion: { t: [0, 1, 2, 3], frames: { rows, cols: numbers, low: all.map(() => 0), column: all, step: all.map(() => 1 / 65535), data: Buffer.from(steps.buffer).toString('base64') } },
  };
  const page0 = readFileSync(join(place, 'four_bar.out', 'report.html'), 'utf8');
  const mark = '<script id="data" type="application/json">';
  const begin = page0.indexOf(mark) + mark.length;
  writeFileSync(join(place, 'net.html'), page0.slice(0, begin) + JSON.stringify(data) + page0.slice(page0.indexOf('</script>', begin)));
  const page = await open(b, `file://${join(place, 'net.html')}`);
  await page.evaluate(() => tendril.seek(1.5));
  const { calls, triangles } = await page.evaluate(() => tendril.info());
  console.log(`             ${a.length} beams: ${calls} draw calls, ${triangles} triangles`);
  assert.ok(calls <= 8 && triangles > 2 * a.length);
  const ms = await page.evaluate(() => {
    const start = performance.now();
    for (let k = 0; k < 20; k++) tendril.place(k / 10);
    return (performance.now() - start) / 20;
  });
  console.log(`             ${ms.toFixed(1)} ms of JavaScript a frame, without drawing`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the committed page is built from its sources', () => {
  execFileSync('node', [join(source, 'web', 'build.mjs'), join(place, 'viewer.html')]);
  assert.ok(readFileSync(join(place, 'viewer.html')).equals(readFileSync(join(source, 'web', 'dist', 'viewer.html'))), 'make web');
});

test('reports stay small', async () => {
  for (const name of models) assert.ok(statSync(join(place, `${name}.out`, 'report.html')).size < 1.3e6, name);
});

test('a picture and a video are made without a display', async () => {
  await tendril('report', 'four_bar.out', '--png', '--size', '320x200', '--time', '1', '--quiet');
  const png = readFileSync(join(place, 'four_bar.out', 'report.png'));
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [320, 200]);
  assert.ok(png.length > 5000);
  await tendril('video', 'pneumatic_module.out', '-o', 'v.mp4', '--size', '160x120', '--fps', '4', '--quiet').catch((e) => {
    if (!/ffmpeg is not here/.test(e.message)) throw e;
  });
});

test('strains are drawn over the arc length at the time shown and at chosen times', async () => {
  writeFileSync(
    join(place, 'given.m'),
    "rod(1).length = 0.5; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000; rod(1).strain = [0 0 0.1*t 3*t 0 0];\npar.t_final = 1;\n",
  );
  await tendril('sim', 'given.m', '-o', 'given.out', '--quiet');
  const page = await open(b, report('given'));
  await page.getByRole('tab', { name: 'Strains' }).click();
  const charts = page.locator('.strains .u-wrap');
  await until(() => charts.count(), 'charts');
  // of this rod the strains are given: stretch 0.1 t, bending 3 t, all along it
  for (const t of [0, 0.25, 0.777, 1]) {
    const [stretch, bend, twist] = await page.evaluate((time) => [2, 3, 5].map((i) => tendril.strain(i, time)), t);
    assert.ok(bend.length > 3 && twist.every((x) => Math.abs(x) < 1e-6));
    assert.ok(bend.every((x) => Math.abs(x - 3 * t) < 1e-3) && stretch.every((x) => Math.abs(x - 0.1 * t) < 1e-4), `at ${t} s: ${bend}, ${stretch}`);
  }
  // chosen times are read, put in order of writing and kept inside the run
  const times = page.locator('#strain-times');
  await times.fill('0; 1e9 nonsense');
  await times.press('Enter');
  assert.equal(await page.locator('.strains .chips .chip').count(), 3); // two and the time shown
  await page.evaluate(() => tendril.seek(0.5 * (tendril.span()[0] + tendril.span()[1])));
  const text = await page.locator('.strains .chips .chip').last().textContent();
  assert.match(text, /shown$/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('error bars are bands in the plots and numbers beside values', async () => {
  writeFileSync(
    join(place, 'bars.m'),
    "world.g = [0 0 -9.81]; rod(1).length = 0.3; rod(1).radius = 0.012; rod(1).E = 2e5; rod(1).rho = 1080; rod(1).eta = 300; rod(1).n = 1;\n" +
      "rod(1).tr.rot = [1 1.2]; sensor(1).name = 'tip'; sensor(1).value = pos(rod(1)); par.t_final = 0.5;\n",
  );
  // painted: parts of the chart that are neither paper nor full ink
  const painted = async (name) => {
    const page = await open(b, report(name));
    const chart = page.locator('.plots details', { hasText: 'tip' }).first();
    await until(() => chart.locator('.u-wrap').count(), 'a chart');
    await page.evaluate(() => tendril.seek(tendril.span()[1]));
    const count = await chart.locator('canvas').evaluate((c) => {
      const x = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      let n = 0;
      for (let i = 3; i < x.length; i += 4) n += x[i] > 40 && x[i] < 120;
      return n / (x.length / 4);
    });
    const text = await chart.locator('.chip').first().textContent();
    assert.deepEqual(page.problems, []);
    await page.close();
    return { count, text };
  };
  await tendril('sim', 'bars.m', '-o', 'bars.out', '--quiet', '--accuracy', '0.9');
  await tendril('sim', 'bars.m', '-o', 'plain.out', '--quiet');
  const [bars, plain] = [await painted('bars'), await painted('plain')];
  assert.match(bars.text, /\u00b1 \d/);
  assert.doesNotMatch(plain.text, /\u00b1/);
  assert.ok(bars.count > plain.count + 0.005, `${bars.count} against ${plain.count} of the chart is band`);
  const finer = readFileSync(join(place, 'bars.m'), 'utf8').replace('rod(1).n = 1', 'rod(1).n = 4').replace('2e5', '6e5');
  writeFileSync(join(place, 'swings.m'), finer);
  await tendril('modes', 'swings.m', '-o', 'swings.out', '--quiet');
  const page = await open(b, report('swings'));
  await page.getByRole('tab', { name: 'Modes' }).click();
  assert.match(await page.locator('.modes button').first().textContent(), /\u00b1 \d.* Hz/);
  await page.getByRole('tab', { name: 'Run' }).click();
  await until(() => page.getByText(/, .* \u00b1 \d/).count(), 'sensors at the equilibrium with their bars');
  assert.deepEqual(page.problems, []);
  await page.close();
});

await run(() => b.close());
