// A few lines of test runner that count like the C tests do, and what the tests share.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';

export const [program, source] = process.argv.slice(2);
export const place = mkdtempSync(join(tmpdir(), 'tendril-web-'));

const tests = [];
export const test = (name, body) => tests.push({ name, body });

export async function run(finish = async () => {}) {
  console.log(`[==========] Running ${tests.length} test(s).`);
  const failed = [];
  for (const { name, body } of tests) {
    try {
      await body();
      console.log(`[       OK ] ${name}`);
    } catch (e) {
      console.log(`[  FAILED  ] ${name}\n${e.stack ?? e}`);
      failed.push(name);
    }
  }
  await finish();
  rmSync(place, { recursive: true, force: true });
  console.log(`[  PASSED  ] ${tests.length - failed.length} test(s).`);
  process.exit(failed.length ? 1 : 0);
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Wait until `f` gives something true; what it gave.
export async function until(f, what, patience = 20000) {
  const end = Date.now() + patience;
  for (;;) {
    const x = await f();
    if (x) return x;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await sleep(25);
  }
}

// Run the program to its end.
export const tendril = (...args) =>
  new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: place });
    let text = '';
    child.stdout.on('data', (d) => (text += d));
    child.stderr.on('data', (d) => (text += d));
    child.on('error', fail);
    child.on('exit', (code) => (code === 0 ? done(text) : fail(new Error(`tendril ${args.join(' ')}: exit code ${code}\n${text}`))));
  });

// `tendril view`: the process and its address.
export async function view(...args) {
  const child = spawn(program, ['view', ...args], { cwd: place });
  let text = '';
  child.stdout.on('data', (d) => (text += d));
  child.stderr.on('data', (d) => (text += d));
  const ended = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal, text })));
  const address = await until(() => text.match(/http:\S+/)?.[0], `the address of the view: ${text}`);
  return { child, address, ended, text: () => text };
}

// Headless chromium, drawn by software.
export async function browser() {
  const { chromium } = createRequire(join(source, 'web/'))('playwright-core');
  const path = process.env.CHROMIUM ?? 'chromium';
  const args = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'];
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return chromium.launch({ executablePath: path, args });
}

// A page that notes everything that goes wrong in it.
export async function open(b, address, options = {}) {
  const page = await b.newPage({ viewport: { width: 1000, height: 600 }, ...options });
  page.problems = [];
  page.requests = [];
  // messages of the software renderer about its own speed, and about tests that read pixels, are no problem of the page
  const harmless = /GPU stall|swiftshader|software WebGL|willReadFrequently/i;
  page.on('console', (m) => {
    if ((m.type() === 'error' || m.type() === 'warning') && !harmless.test(m.text())) page.problems.push(m.text());
  });
  page.on('pageerror', (e) => page.problems.push(String(e)));
  page.on('request', (r) => page.requests.push(r.url()));
  await page.goto(address, { timeout: 90000 });
  await page.waitForFunction(() => window.tendril);
  return page;
}
