// Bundles src/ into one page, dist/viewer.html: `npm ci && npm run build`.  The result is committed, and the C
// build embeds it in the library.  It is ASCII, names no other file, and has a mark where data are put.
import { build } from 'esbuild';
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const out = process.argv[2] ?? here + 'dist/viewer.html';

const bundle = async (entry, loader) => {
  const result = await build({
    entryPoints: [here + entry],
    bundle: true,
    write: false,
    minify: true,
    charset: 'ascii',
    legalComments: 'none',
    target: ['chrome100', 'firefox100', 'safari15'],
    format: 'iife',
    loader,
  });
  return result.outputFiles[0].text;
};

const script = (await bundle('src/main.ts', {})).replace(/<\/script/gi, '<\\/script');
const style = await bundle('src/style.css', {});
const page = await readFile(here + 'src/page.html', 'utf8');
const licences =
  'Viewer of Tendril (BSD-3-Clause).  Contains three.js (MIT, (c) 2010-2026 three.js authors) and uPlot (MIT, (c) 2025 Leon Sorokin).';
const html = page
  .replace('/*style*/', () => style.trim())
  .replace('/*script*/', () => `/* ${licences} */\n${script.trim()}`);

for (const [i, c] of [...html].entries()) {
  if (c.codePointAt(0) > 126) throw new Error(`not ASCII at ${i}: ${html.slice(i - 40, i + 40)}`);
}
if (html.split('<script id="data"').length !== 2) throw new Error('the page needs one place for data');
await mkdir(here + 'dist', { recursive: true });
await writeFile(out, html);
console.log(`${out}: ${(html.length / 1024).toFixed(0)} kB`);
