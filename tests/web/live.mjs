// The live view in a real browser: it runs, follows its file, shows errors, and answers to hands and sliders.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, open, place, run, test, until, view } from './check.mjs';

// A mass on a spring, much damped: it rests m g / k below the end of the spring.
const model = (radius) => `% a mass on a spring
k = param('k', 100);
u = input('push', 0);
world.g = [0 0 -9.81];
body(1).name = 'mass';
body(1).m = 1;
body(1).I = 0.4*${radius}^2*eye(3);
joint(1).second = 1;
joint(1).tr(1).trans = [0 0 inf];
joint(1).dof(1).spring.coeff = k;
joint(1).dof(1).damp.visc = 20;
joint(1).dof(1).input = u;
joint(2).name = 'spring';
joint(2).second = 1;
joint(2).tr(1).trans = [0 0 0.5];
joint(2).spring.coeff = 1e-6;
sensor(1).name = 'z';
sensor(1).value = dof(joint(1), 1);
`;
const file = join(place, 'mass.m');
writeFileSync(file, model(0.05));
const v = await view(file);
const b = await browser();
const page = await open(b, v.address);
const state = () => page.evaluate(() => tendril.state());
const height = () =>
  page.evaluate(() => {
    const body = tendril.scene().groups.find((g) => g.kind === 'body');
    return body ? tendril.frame()[body.items[0].pose + 2] : NaN;
  });
const settles = (z) => until(async () => Math.abs((await height()) - z) < 1e-3, `the mass at ${z}`);

test('the model runs in the pace of the clock', async () => {
  await until(async () => (await state()).time > 0.2, 'a model that runs');
  await settles(-9.81 / 100);
  assert.deepEqual(page.problems, []);
});

// Pixels of a chart that have nearly one of the colours of curves.
const ink = (i) =>
  page.evaluate((k) => {
    const canvas = document.querySelectorAll('.plots canvas')[k];
    if (!canvas) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const dark = document.documentElement.dataset.theme === 'dark' || matchMedia('(prefers-color-scheme: dark)').matches;
    const inks = [dark ? [0x74, 0xa7, 0xf2] : [0x2f, 0x6f, 0xc4], [0x2f, 0x6f, 0xc4], [0x74, 0xa7, 0xf2]];
    let n = 0;
    for (let p = 0; p < data.length; p += 4)
      if (data[p + 3] > 200 && inks.some((c) => Math.abs(data[p] - c[0]) + Math.abs(data[p + 1] - c[1]) + Math.abs(data[p + 2] - c[2]) < 30)) n++;
    return n;
  }, i);
const tab = (name) => page.getByRole('tab', { name }).click();

test('every tab opens, and curves are drawn from the first picture on', async () => {
  await tab('Plots');
  await until(async () => (await ink(0)) > 40, 'a curve of the sensor');
  await until(async () => (await page.locator('.plots canvas').count()) === 2, 'charts of the sensor and of the energy');
  assert.deepEqual(await page.locator('.plots summary').allTextContents(), ['z [m]', 'Energy [J]']);
  await tab('Model');
  await tab('Controls');
  assert.deepEqual(page.problems, []);
});

test('curves come back after a reset with their tab open', async () => {
  await tab('Plots');
  await page.locator('canvas.scene').focus();
  await page.keyboard.press('r');
  await until(async () => (await state()).time < 1, 'the start');
  await until(async () => (await state()).time > 1 && (await ink(0)) > 40, 'curves again');
  await tab('Controls');
  assert.deepEqual(page.problems, []);
});

test('a slider at its end gets room for more', async () => {
  const high = () => page.locator('#input-push').evaluate((e) => Number(e.max));
  const before = await high();
  await page.locator('#input-push').fill(String(before));
  await until(async () => (await high()) === 10 * before, 'a longer slider');
  await page.locator('#input-push').fill('0');
});

test('a slider changes the motion', async () => {
  await page.locator('#param-k').fill('200');
  await settles(-9.81 / 200);
  await page.locator('#input-push').fill('0.5');
  await settles((0.5 - 9.81) / 200);
});

test('pause, step and reset', async () => {
  await page.locator('canvas.scene').focus();
  await page.keyboard.press('Space');
  await until(async () => !(await state()).running, 'a pause');
  const { time } = await state();
  await page.keyboard.press('.');
  await until(async () => Math.abs((await state()).time - time - 1 / 60) < 1e-3, 'one step');
  await page.keyboard.press('r');
  await until(async () => (await state()).time === 0, 'the start');
  await page.keyboard.press('Space');
  await until(async () => (await state()).running, 'running again');
});

test('a body can be pulled with the mouse', async () => {
  await settles((0.5 - 9.81) / 200);
  const before = await height();
  const at = await page.evaluate(() => {
    const o = tendril.scene().groups.find((g) => g.kind === 'body').items[0].pose;
    const f = tendril.frame();
    return tendril.project(f[o], f[o + 1], f[o + 2]);
  });
  const box = await page.locator('canvas.scene').boundingBox();
  await page.mouse.move(box.x + at.x, box.y + at.y);
  await page.mouse.down();
  await page.mouse.move(box.x + at.x, box.y + at.y - 60, { steps: 4 });
  assert.equal((await state()).held, 'mass');
  await until(async () => (await height()) > before + 0.01, 'a mass that follows the hand');
  await page.mouse.up();
  await settles(before);
});

test('the page follows the file', async () => {
  const { serial } = await state();
  const start = Date.now();
  writeFileSync(file, model(0.06));
  await until(async () => (await state()).serial > serial, 'the model loaded again');
  console.log(`             shown ${Date.now() - start} ms after the file had changed`);
  assert.equal((await state()).params[0].value, 200, 'sliders keep their values');
});

test('errors are shown with line and caret, and go away', async () => {
  const { serial } = await state();
  writeFileSync(file, model(0.05).replace('joint(1).second', 'joint(1).secnd'));
  const { errors } = await until(async () => ((await state()).errors?.includes('secnd') ? state() : null), 'an error');
  assert.match(errors, /mass\.m:8:10: error: unknown field 'secnd' of joint/);
  assert.match(errors, /8 \| joint\(1\)\.secnd = 1;/);
  assert.match(errors, /\^~~~~ did you mean 'second'\?/);
  assert.equal((await state()).serial, serial, 'the last good model stays');
  // the box leaves the tools free, in wide and in narrow windows
  for (const width of [1000, 480]) {
    await page.setViewportSize({ width, height: 600 });
    const place = (selector) => page.locator(selector).boundingBox();
    const [box, tools] = [await place('.errors'), await place('.tools')];
    const apart = box.x + box.width <= tools.x || box.y >= tools.y + tools.height;
    assert.ok(apart, `${width}: ${JSON.stringify(box)} ${JSON.stringify(tools)}`);
  }
  await page.setViewportSize({ width: 1000, height: 600 });
  const { time } = await state();
  await until(async () => (await state()).time > time, 'and goes on');
  writeFileSync(file, model(0.05));
  await until(async () => !(await state()).errors, 'no error');
  assert.deepEqual(page.problems, []);
});

test('an input starts at its default, its slider has room around it, and a mended model runs', async () => {
  const other = join(place, 'pushed.m');
  const pushed = (value, more) =>
    `u = input('u', ${value}); body(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0];\njoint(1).dof(1).spring.coeff = 100; joint(1).dof(1).damp.visc = 20; joint(1).dof(1).input = u${more};\n`;
  writeFileSync(other, pushed(7, ' + 1/(t - 0.1)'));
  const w = await view(other);
  const second = await open(b, w.address);
  const now = () => second.evaluate(() => tendril.state());
  const slider = () => second.locator('#input-u').evaluate((e) => ['value', 'min', 'max'].map((k) => Number(e[k])));
  try {
    await until(async () => (await now()).trouble, 'a motion that cannot be followed');
    assert.deepEqual(await slider(), [7, -21, 21]);
    writeFileSync(other, pushed(100, ''));
    await until(async () => (await now()).running && (await now()).time > 0.3, 'the mended model running');
    assert.deepEqual(await slider(), [100, -300, 300]);
    assert.deepEqual(second.problems, []);
  } finally {
    await second.close();
    w.child.kill('SIGKILL');
  }
});

test('a file that --set names may be read, as in other commands; others may not', async () => {
  const folder = join(place, 'inner');
  mkdirSync(folder);
  writeFileSync(join(place, 'outside.csv'), 't,y\n0,1\n1,2\n');
  const text = (file) =>
    `${file}\nbody(1).m = 1; joint(1).second = 1; joint(1).tr(1).trans = [inf 0 0]; a = table(f);\njoint(1).dof(1).spring.coeff = 100 * a.y(1);\n`;
  writeFileSync(join(folder, 'reads.m'), text("f = param('f', 'none.csv');"));
  writeFileSync(join(folder, 'writes.m'), text("f = '../outside.csv';"));
  for (const [name, more, good] of [['reads.m', ['--set', 'f=../outside.csv'], true], ['writes.m', [], false]]) {
    const w = await view(join(folder, name), ...more);
    const other = await open(b, w.address);
    const now = () => other.evaluate(() => tendril.state());
    try {
      if (good) await until(async () => (await now()).time > 0 && !(await now()).errors, 'the model of the named file');
      else assert.match((await until(async () => (await now()).errors, 'a refusal')), /outside\.csv/);
    } finally {
      await other.close();
      w.child.kill('SIGKILL');
    }
  }
});

test('the page says when the program has ended', async () => {
  v.child.kill('SIGINT');
  assert.equal((await v.ended).code, 0);
  await until(async () => /ended/.test((await state()).errors), 'a message');
});

await run(async () => {
  v.child.kill('SIGKILL');
  await b.close();
});
