// The live view and the reports as a person uses them: every tab opened, every slider moved, a rod pulled by its tip, a
// model broken and mended, some time of running with a clean console.  TENDRIL_LONG=1 makes that a minute, and
// TENDRIL_SHOTS=DIR keeps a picture of every stage.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, open, place, run, sleep, tendril, test, until, view } from './check.mjs';

// A soft arm with two cables, damped, that hangs from the ceiling; its tip is a sensor.
const arm = `% a soft arm with two cables
E = param('E', 3e5);
T1 = input('T1', 0);
T2 = input('T2', 0);
world.g = [0 0 -9.81];
rod(1).name = 'arm';
rod(1).tr.rot = [1 pi];
rod(1).length = 0.3;
rod(1).radius = 0.012;
rod(1).E = E; rod(1).nu = 0.5; rod(1).rho = 1100; rod(1).eta = 1e4;
rod(1).n = 3;
cable(1).path = [0.009 0];  cable(1).tension = T1;
cable(2).path = [-0.009 0]; cable(2).tension = T2;
sensor(1).name = 'tip';
sensor(1).value = pos(rod(1), 0.3);
`;
const file = join(place, 'arm.m');
writeFileSync(file, arm);
const v = await view(file);
const b = await browser();
const page = await open(b, v.address);
const state = () => page.evaluate(() => tendril.state());
const tab = (name, p = page) => p.getByRole('tab', { name, exact: true }).click();
const shot = async (p, name) => {
  if (process.env.TENDRIL_SHOTS) await p.screenshot({ path: join(process.env.TENDRIL_SHOTS, `${name}.png`) });
};
// Where the tip of the first rod is, in metres and on the screen
const tip = () =>
  page.evaluate(() => {
    const r = tendril.scene().groups.find((g) => g.kind === 'rod').items[0];
    const o = r.at[r.at.length - 1];
    const f = tendril.frame();
    const a = r.at[r.at.length - 2]; // a little before its end, where a hand finds it
    return { x: f[o], y: f[o + 1], z: f[o + 2], screen: tendril.project(f[a], f[a + 1], f[a + 2]) };
  });

// What can be seen of each open chart: pixels with the colour of a curve inside its axes, and whether anything is drawn in
// the outermost column on the left, which happens when labels are wider than their room.
const charts = (p) =>
  p.evaluate(() => {
    const near = (d, i, c) => Math.abs(d[i] - c[0]) + Math.abs(d[i + 1] - c[1]) + Math.abs(d[i + 2] - c[2]) < 40;
    const probe = document.createElement('canvas').getContext('2d');
    const rgb = (css) => {
      probe.fillStyle = css;
      probe.fillRect(0, 0, 1, 1);
      return probe.getImageData(0, 0, 1, 1).data;
    };
    return [...document.querySelectorAll('details[open] .uplot canvas')]
      .filter((c) => c.checkVisibility())
      .map((c) => {
        const box = c.closest('details');
        const inks = [...box.querySelectorAll('.chip[aria-pressed=true] i')].map((i) => rgb(getComputedStyle(i).backgroundColor));
        const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
        const seen = inks.map(() => 0);
        let cut = 0;
        for (let k = 0; k < data.length; k += 4) {
          if (data[k + 3] > 200) inks.forEach((ink, j) => near(data, k, ink) && seen[j]++);
          if ((k / 4) % c.width < 1 && data[k + 3] > 60) cut++;
        }
        return { title: box.querySelector('summary').textContent, seen: seen.reduce((x, y) => x + y, 0), cut };
      });
  });
// Text that does not fit its box
const cutBoxes = (p) =>
  p.evaluate(() =>
    [...document.querySelectorAll('input[type=number], output, button, summary, td, th')]
      .filter((e) => e.checkVisibility() && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1)
      .map((e) => `${e.tagName} ${e.id} ${e.textContent || e.value}`),
  );

test('every tab of the live view opens, with curves and whole labels', async () => {
  await until(async () => (await state()).time > 0.5, 'a model that runs');
  await tab('Plots');
  await until(async () => (await charts(page)).length >= 2 && (await charts(page)).every((c) => c.seen > 20), 'curves in every chart');
  for (const c of await charts(page)) assert.equal(c.cut, 0, `labels of ${c.title} reach the edge`);
  await shot(page, 'live-plots');
  await tab('Model');
  assert.match(await page.locator('.sources').innerText(), /rod\(1\)\.name = 'arm'/);
  await shot(page, 'live-model');
  await tab('Controls');
  assert.deepEqual(await cutBoxes(page), []);
  await shot(page, 'live-controls');
  assert.deepEqual(page.problems, []);
});

test('labels of an axis are the numbers they stand at', async () => {
  const labels = (x) => page.evaluate((v) => tendril.ticks(v), x);
  assert.deepEqual(await labels([0.209, 0.20925, 0.2095, 0.20975, 0.21]), ['0.209', '0.20925', '0.2095', '0.20975', '0.21']);
  assert.deepEqual(await labels([0, 2e-4, 4e-4, 6.000000000000001e-4]), ['0', '2e-4', '4e-4', '6e-4']);
  assert.deepEqual(await labels([123456, 123456.5]), ['1.23456e5', '1.234565e5']);
  assert.deepEqual(await labels([-0.1, 0, 0.1, 0.2, 0.30000000000000004]), ['-0.1', '0', '0.1', '0.2', '0.3']);
  assert.deepEqual(await labels([3]), ['3']);
  assert.deepEqual(await labels([]), []);
});

test('every slider moves the arm', async () => {
  for (const [id, value] of [['input-T1', '1'], ['input-T2', '1'], ['param-E', '200000']]) {
    const before = await tip();
    await page.locator(`#${id}`).fill(value);
    await until(async () => {
      const now = await tip();
      return Math.hypot(now.x - before.x, now.y - before.y, now.z - before.z) > 1e-4;
    }, `an arm that answers to ${id}`);
  }
  assert.deepEqual(await cutBoxes(page), []);
  await shot(page, 'live-sliders');
  assert.deepEqual(page.problems, []);
});

test('a rod is pulled by its tip, follows the hand and swings back', async () => {
  // at rest: nowhere else for a second of its own time
  const rests = async () => {
    let place = await tip();
    let since = (await state()).time;
    await until(async () => {
      const now = await tip();
      const { time } = await state();
      if (Math.hypot(now.x - place.x, now.y - place.y, now.z - place.z) > 1e-4) [place, since] = [now, time];
      return time > since + 1;
    }, 'an arm at rest', 60000);
    return place;
  };
  const before = await rests();
  const box = await page.locator('canvas.scene').boundingBox();
  const at = { x: box.x + before.screen.x, y: box.y + before.screen.y };
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 70, at.y - 20, { steps: 6 });
  assert.equal((await state()).held, 'arm');
  await until(async () => {
    const now = await tip();
    return Math.hypot(now.screen.x - before.screen.x, now.screen.y - before.screen.y) > 15;
  }, 'a tip that follows the hand');
  await shot(page, 'live-pulled');
  await page.mouse.up();
  const after = await rests();
  const far = Math.hypot(after.x - before.x, after.y - before.y, after.z - before.z);
  assert.ok(far < 3e-3, `comes to rest ${far} m from where it was`);
  assert.deepEqual(page.problems, []);
});

test('a model that is broken and mended while it runs keeps the page alive', async () => {
  for (const [wrong, message] of [
    [arm.replace('radius = 0.012', 'radius = -0.012'), /must be positive/],
    [arm.replace('cable(2).path', 'cable(2).pth'), /did you mean 'path'/],
    [`${arm}\nfor k = 1:3`, /end/],
    ['', /./],
  ]) {
    writeFileSync(file, wrong);
    const { errors } = await until(async () => ((await state()).errors ? state() : null), 'an error');
    assert.match(errors, message);
    const { time } = await state();
    await until(async () => (await state()).time !== time, 'the last good model goes on');
    await shot(page, 'live-error');
    writeFileSync(file, arm);
    await until(async () => !(await state()).errors, 'no error');
  }
  assert.deepEqual(page.problems, []);
});

test('it runs on with a clean console and without growing', async () => {
  const seconds = process.env.TENDRIL_LONG ? 60 : 6;
  const memory = () => page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  const first = await memory();
  const { time } = await state();
  for (let k = 0; k < seconds; k++) {
    await sleep(1000);
    await tab(['Plots', 'Model', 'Controls'][k % 3]);
  }
  assert.ok((await state()).time > time + 0.3 * seconds, 'it ran');
  assert.ok((await memory()) < first + 60e6, `memory grew from ${first} to ${await memory()}`);
  assert.deepEqual(page.problems, []);
});

const openAll = async (p, boxes) => {
  for (const box of await p.locator(boxes).all()) if (!(await box.evaluate((d) => d.open))) await box.locator('summary').click();
};

// Reports of models with different content: a mechanism, a soft arm with cables, a network.
for (const [name, ...options] of [['four_bar'], ['cable_manipulator', '--t-final', '1'], ['spider_web', '--t-final', '0.05']]) {
  test(`the report of ${name}: every tab, every chart, every button`, async () => {
    await tendril('demo', name, '--quiet', ...options);
    const p = await open(b, `file://${join(place, `${name}.out`, 'report.html')}`);
    await tab('Plots', p);
    await openAll(p, '.plots:not(.strains) details');
    await until(async () => (await charts(p)).length > 0 && (await charts(p)).every((c) => c.seen > 20), 'curves in every chart');
    for (const c of await charts(p)) assert.equal(c.cut, 0, `labels of ${c.title} reach the edge`);
    await shot(p, `${name}-plots`);
    for (const t of await p.getByRole('tab').all()) {
      await t.click();
      if ((await t.innerText()).trim() !== 'Plots') assert.equal(await p.locator('.panels').evaluate((e) => e.scrollTop), 0, 'a panel opens at its top');
      if ((await t.innerText()).trim() === 'Strains') {
        await openAll(p, '.strains details');
        for (const c of await charts(p)) assert.equal(c.cut, 0, `labels of ${c.title} reach the edge`);
      }
      assert.ok((await p.locator('.panels').innerText()).length > 20, 'a panel with text');
      const broken = await p.evaluate(() => [...document.querySelectorAll('pre.command span')].filter((e) => e.checkVisibility() && e.textContent.length < 20 && e.clientHeight > 26).map((e) => e.textContent));
      assert.deepEqual(broken, [], 'words of the command that are cut in two');
      assert.deepEqual(await cutBoxes(p), []);
      await shot(p, `${name}-${(await t.innerText()).trim()}`);
      await p.locator('.panels').evaluate((e) => (e.scrollTop = 150));
    }
    for (const x of await p.locator('button[title]').all()) if (await x.isVisible()) await x.click({ timeout: 2000 }).catch(() => {});
    await shot(p, `${name}-buttons`);
    assert.deepEqual(p.problems, []);
    await p.close();
  });
}

await run(async () => {
  v.child.kill('SIGKILL');
  await b.close();
});
