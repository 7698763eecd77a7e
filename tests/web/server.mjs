// The server of `tendril view`: whom it answers, where it listens, and what it survives.
import assert from 'node:assert/strict';
import { randomBytes, createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { run, sleep, source, test, until, view } from './check.mjs';

const v = await view(join(source, 'models', 'pendulum.m'));
const url = new URL(v.address);
const port = Number(url.port);
const token = url.pathname.split('/')[1];

// Bytes to the server; all it answers until it closes, or for `ms`.
const talk = (bytes, ms = 2000, host = '127.0.0.1') =>
  new Promise((done) => {
    const parts = [];
    const s = net.connect(port, host);
    const end = () => {
      s.destroy();
      done(Buffer.concat(parts));
    };
    const timer = setTimeout(end, ms);
    s.on('connect', () => s.write(bytes));
    s.on('data', (d) => parts.push(d));
    s.on('close', () => {
      clearTimeout(timer);
      end();
    });
    s.on('error', () => {});
  });
const request = (path, headers = {}, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\n${Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(([k, x]) => `${k}: ${x}\r\n`).join('')}\r\n`;
const code = async (...args) => Number((await talk(request(...args))).toString('latin1').split(' ')[1]);
const upgrade = { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
const own = { Origin: `http://127.0.0.1:${port}` };

test('the page is served to who knows the token, and says how it may be used', async () => {
  const answer = (await talk(request(`/${token}/`), 10000)).toString('latin1');
  assert.match(answer, /^HTTP\/1.1 200/);
  assert.match(answer, /Referrer-Policy: no-referrer/);
  assert.match(answer, /X-Frame-Options: DENY/);
  assert.match(answer, /default-src 'none'/);
  assert.ok(answer.length > 100000);
  assert.match(token, /^[0-9a-f]{32}$/);
});

test('a wrong token, another path and another method get nothing', async () => {
  const other = token.replace(/^./, (c) => (c === '0' ? '1' : '0'));
  for (const path of ['/', '/index.html', `/${other}/`, `/${token.slice(0, 31)}/`, `/${token}x/`, `/${other}/live`, `//${token}/`])
    assert.equal(await code(path), 404, path);
  for (const path of [`/${token}/../`, `/${token}/..%2f..%2fetc/passwd`, `/${token}/etc/passwd`, `/${token}/live`, `/${token}/%00`,
    `/${token}/%2e%2e/`, `/${token}/%252e%252e%252fetc%252fpasswd`, `/${token}/..\\..\\etc\\passwd`, `/${token}/./../../etc/passwd`, `/${token}/%3f/../../etc/passwd`, `/${token}//etc/passwd`, `/${token}/file:///etc/passwd`])
    assert.notEqual(await code(path), 200, path);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']) assert.notEqual(await code(`/${token}/`, {}, method), 200, method);
});

test('other hosts and other origins are refused', async () => {
  for (const Host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `127.0.0.1:${port}.evil.example`])
    assert.equal(await code(`/${token}/`, { Host }), 403, Host);
  assert.equal(await code(`/${token}/`, { Host: `localhost:${port}` }), 200);
  for (const Origin of ['http://evil.example', 'null', `https://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`, `http://127.0.0.1:${port}.evil.example`]) {
    assert.equal(await code(`/${token}/`, { Origin }), 403, Origin);
    assert.notEqual(await code(`/${token}/live`, { ...upgrade, Origin }), 101, Origin);
  }
});

test('a websocket needs the token and the page\u2019s own origin', async () => {
  const answer = (await talk(request(`/${token}/live`, { ...upgrade, ...own }), 800)).toString('latin1');
  assert.match(answer, /^HTTP\/1.1 101/);
  const accept = createHash('sha1').update(`${upgrade['Sec-WebSocket-Key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  assert.ok(answer.includes(accept));
  assert.ok(answer.includes('"type":"model"'), 'the model comes at once');
  assert.notEqual(await code('/live', { ...upgrade, ...own }), 101);
  assert.notEqual(await code(`/${'0'.repeat(32)}/live`, { ...upgrade, ...own }), 101);
});

test('it listens on the loopback interface alone', async () => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((f) => {
    try {
      return readFileSync(f, 'utf8').split('\n').slice(1).map((l) => l.trim().split(/\s+/)).filter((c) => c[3] === '0A' && c[1].endsWith(`:${hex}`)).map((c) => c[1]);
    } catch {
      return [];
    }
  });
  assert.deepEqual(listening, [`0100007F:${hex}`]);
  for (const address of Object.values(os.networkInterfaces()).flat().filter((a) => !a.internal && a.family === 'IPv4')) {
    const answer = await talk(request(`/${token}/`), 500, address.address);
    assert.equal(answer.length, 0, address.address);
  }
});

// ---- what it survives

const alive = async () => {
  assert.equal(v.child.exitCode, null, v.text());
  assert.equal(await code(`/${token}/`), 200);
};
let seed = 1;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % n;
};

test('700 malformed requests do no harm', async () => {
  const make = [
    () => randomBytes(1 + random(400)),
    () => request(`/${token}/`).slice(0, random(60)),
    () => `GET ${'/'.repeat(random(20000))} HTTP/1.1\r\n\r\n`,
    () => request(`/${token}/`, { X: 'y'.repeat(random(40000)) }),
    () => `${'A'.repeat(random(100))} /${token}/ HTTP/9.9\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    () => request(`/${token}/`, { 'Content-Length': '-1' }, 'POST'),
    () => request(`/${token}/`, { 'Content-Length': '99999999999999999999' }, 'POST'),
    () => request(`/${token}/`, { 'Transfer-Encoding': 'chunked' }, 'POST') + 'ffffffffffffffff\r\nx',
    () => request(`/${token}/live`, { ...upgrade, ...own, 'Sec-WebSocket-Key': '\x01\x02' }),
    () => request(`/${token}/live`, { ...upgrade, ...own, 'Sec-WebSocket-Version': '0' }),
    () => request(`/${token}/%${random(100)}%zz\x7f?${'&a=b'.repeat(random(500))}`),
    () => '\0\0\0\0\r\n\r\n',
    () => `GET /${token}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\n${': \r\n'.repeat(random(80))}\r\n`,
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ];
  for (let k = 0; k < 700; k += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => talk(make[(k + i) % make.length](), 60)));
  await alive();
});

// A client frame: masked, with any bits.
function frame(opcode, payload, { fin = 1, rsv = 0, mask = 1, length = payload.length } = {}) {
  const head = [(fin << 7) | (rsv << 4) | opcode];
  if (length < 126) head.push((mask << 7) | length);
  else if (length < 65536) head.push((mask << 7) | 126, length >> 8, length & 255);
  else {
    head.push((mask << 7) | 127);
    const b = Buffer.alloc(8);
    b.writeBigUInt64BE(BigInt(length));
    head.push(...b);
  }
  const key = mask ? [...randomBytes(4)] : [];
  const body = mask ? Buffer.from(payload.map((x, i) => x ^ key[i % 4])) : payload;
  return Buffer.concat([Buffer.from([...head, ...key]), body]);
}
const text = (s, o) => frame(1, Buffer.from(s), o);

test('300 malformed websocket frames and commands do no harm', async () => {
  const hello = Buffer.from(request(`/${token}/live`, { ...upgrade, ...own }));
  const commands = [
    '{', '[]', 'null', '"x"', '{"do":1}', '{"do":"param"}', '{"do":"param","name":"m","value":"NaN"}', '{"do":"param","name":"m","value":1e999}',
    '{"do":"param","name":"nothing","value":1}', '{"do":"param","name":"m","value":0}', '{"do":"param","name":"m","value":-1e300}', '{"do":"param","name":"m","value":1}',
    '{"do":"input","name":"x","value":1}', '{"do":"grip","station":1e9,"point":[0,0,0],"strength":1}', '{"do":"grip","station":-5,"point":[0,0,0],"strength":1}',
    '{"do":"grip","station":0,"point":[1e308,1e308,0],"strength":1e308}', '{"do":"pull","target":[1e308,-1e308,1e308]}', '{"do":"pull","target":[1,2]}',
    '{"do":"pull","target":{"length":3}}', '{"do":"drop"}', '{"do":"pace","value":-1}', '{"do":"pace","value":1e300}', '{"do":"pace","value":1}', '{"do":"step"}', '{"do":"reset"}',
    '{"do":"play"}', `{"do":"${'x'.repeat(3000)}"}`, '['.repeat(4000), `{"a":${'{"a":'.repeat(700)}1${'}'.repeat(701)}`, 'seen', '\xff\xfe',
  ];
  const make = [
    (k) => text(commands[k % commands.length]),
    (k) => text(commands[(k * 7) % commands.length]),
    () => frame(2, randomBytes(random(300))),
    () => frame(random(16), randomBytes(random(100)), { rsv: random(8), fin: random(2) }),
    () => text('{"do":"play"}', { mask: 0 }),
    () => text('x', { length: 70000 }),
    () => text('x', { length: 2 ** 40 }),
    () => frame(9, randomBytes(random(200))),
    () => Buffer.concat([text('{"do":', { fin: 0 }), frame(0, Buffer.from('"play"}'))]),
    () => text(`{"do":"param","name":"${'m'.repeat(5000)}","value":1}`),
    () => frame(8, randomBytes(random(130))),
    () => randomBytes(1 + random(60)),
  ];
  for (let k = 0; k < 300; k += 6)
    await Promise.all(Array.from({ length: 6 }, (_, i) => talk(Buffer.concat([hello, make[(k + i) % make.length](k + i)]), 120)));
  await alive();
  const again = (await talk(hello, 800)).toString('latin1');
  assert.ok(again.includes('"type":"model"'));
});

// Each attack with the answer that it gets: a code, '-' for a connection that is closed without one.
test('the attack list, each with its result', async () => {
  const memory = () => Number(readFileSync(`/proc/${v.child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;
  const before = memory();
  const hello = request(`/${token}/live`, { ...upgrade, ...own });
  const big = (n) => `{"do":"param","name":"m","value":[${'1,'.repeat(n / 2)}1]}`;
  const list = [
    ['a header of 1 MB', request(`/${token}/`, { X: 'y'.repeat(1 << 20) }), /^(-|4\d\d)$/],
    ['100000 headers', request(`/${token}/`, Object.fromEntries([...Array(1e5)].map((_, i) => [`X${i}`, '1']))), /^(-|4\d\d)$/],
    ['an address of 1 MB', request(`/${token}/${'a'.repeat(1 << 20)}`), /^(-|4\d\d)$/],
    ['a body of 1 GB that does not come', request(`/${token}/`, { 'Content-Length': '1073741824' }, 'POST') + 'x', /^4\d\d$/],
    ['a file above the page', request(`/${token}/../../../../etc/passwd`), /^4\d\d$/],
    ['the same, in escapes', request(`/${token}/%2e%2e%2f%2e%2e%2fetc/passwd`), /^4\d\d$/],
    ['an absolute address', request(`http://127.0.0.1:${port}/etc/passwd`), /^(-|4\d\d)$/],
    ['another host (rebinding)', request(`/${token}/`, { Host: 'rebound.example' }), /^403$/],
    ['no host', `GET /${token}/ HTTP/1.1\r\n\r\n`, /^(-|4\d\d)$/],
    ['another origin', request(`/${token}/`, { Origin: 'http://evil.example' }), /^403$/],
    ['a websocket of another origin', request(`/${token}/live`, { ...upgrade, Origin: 'http://evil.example' }), /^403$/],
    ['a websocket without the token', request('/live', { ...upgrade, ...own }), /^404$/],
    ['two requests in one (smuggled)', request(`/${token}/x`, { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }) + `0\r\n\r\n${request(`/${token}/`)}`, /^4\d\d$/],
    ['a CONNECT', `CONNECT example.com:443 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, /^(-|4\d\d|5\d\d)$/],
    ['a command of 8 MB', Buffer.concat([Buffer.from(hello), text(big(8 << 20))]), /^101$/],
    ['a command of 8 MB in pieces', Buffer.concat([Buffer.from(hello), text('{"do":"', { fin: 0 }), ...[...Array(128)].map(() => frame(0, Buffer.alloc(65536, 120), { fin: 0 })), frame(0, Buffer.from('"}'))]), /^101$/],
    ['100000 commands at once', Buffer.concat([Buffer.from(hello), ...[...Array(1e5)].map(() => text('{"do":"step"}'))]), /^101$/],
    ['brackets 100000 deep', Buffer.concat([Buffer.from(hello), text('['.repeat(1e5))]), /^101$/],
    ['a frame of 2^63 bytes', Buffer.concat([Buffer.from(hello), frame(1, Buffer.from('x'), { length: 2 ** 62 })]), /^101$/],
    ['a frame without a mask', Buffer.concat([Buffer.from(hello), text('{"do":"reset"}', { mask: 0 })]), /^101$/],
    ['a control frame of 200 bytes', Buffer.concat([Buffer.from(hello), frame(9, Buffer.alloc(200))]), /^101$/],
    ['frames of unknown kinds', Buffer.concat([Buffer.from(hello), ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((k) => frame(k, Buffer.from('x')))]), /^101$/],
  ];
  for (const [name, bytes, expected] of list) {
    const answer = (await talk(bytes, 700)).toString('latin1');
    const code = answer.match(/^HTTP\/1\.\d (\d+)/)?.[1] ?? '-';
    console.log(`             ${name}: ${code}`);
    assert.match(code, expected, name);
    assert.ok(!/root:/.test(answer), name);
    const start = Date.now();
    await alive();
    assert.ok(Date.now() - start < 3000, `${name}: the page after ${Date.now() - start} ms`);
  }
  const grown = memory() - before;
  console.log(`             ${grown.toFixed(0)} MB more`);
  assert.ok(grown < 200, `${grown} MB`);
});

// Names under which another machine or a page of another site could reach this one, and doubled or folded headers.
test('hosts and origins in disguise are refused', async () => {
  const hosts = [`LOCALHOST.evil.example:${port}`, `localhost.:${port}`, `user@127.0.0.1:${port}`, `2130706433:${port}`, `0x7f.1:${port}`, `127.1:${port}`, `0.0.0.0:${port}`,
    `[::1]:${port}`, `[::ffff:127.0.0.1]:${port}`, `127.0.0.1:${port}/`, `127.0.0.1:${port} evil.example`, `127.0.0.1:0${port}`, ''];
  for (const Host of hosts) assert.notEqual(await code(`/${token}/`, { Host }), 200, Host);
  const origins = [`http://127.0.0.1:${port}/`, `http://user@127.0.0.1:${port}`, `HTTP://127.0.0.1:${port}`, `http://localhost:${port}@evil.example`, `http://[::1]:${port}`, 'file://', `ws://127.0.0.1:${port}`,
    `http://127.0.0.1:${port} http://evil.example`];
  for (const Origin of origins) assert.notEqual(await code(`/${token}/live`, { ...upgrade, Origin }), 101, Origin);
  // the first of two hosts counts, which is what a browser sends; a folded header does not hide another
  const first = `GET /${token}/ HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const folded = `GET /${token}/ HTTP/1.1\r\nHost: evil.example\r\n 127.0.0.1:${port}\r\n\r\n`;
  for (const bytes of [first, folded]) assert.doesNotMatch((await talk(bytes)).toString('latin1'), /^HTTP\/1.1 200/);
});

// Websockets against the protocol: what comes after is not taken for a command, and the server goes on.
test('websockets that break the protocol, each with its result', async () => {
  const hello = Buffer.from(request(`/${token}/live`, { ...upgrade, ...own }));
  const close = (n) => frame(8, Buffer.from([n >> 8, n & 255]));
  const play = text('{"do":"play"}');
  const list = [
    ['a fragment that begins nothing', [frame(0, Buffer.from('"play"}'))]],
    ['a fragment that is never finished', [text('{"do":', { fin: 0 }), play]],
    ['10000 empty fragments', [text('', { fin: 0 }), ...[...Array(10000)].map(() => frame(0, Buffer.alloc(0), { fin: 0 }))]],
    ['control frames between fragments', [text('{"do":"pl', { fin: 0 }), frame(9, Buffer.from('x')), frame(10, Buffer.from('y')), frame(0, Buffer.from('ay"}'))]],
    ['a fragmented ping', [frame(9, Buffer.from('a'), { fin: 0 }), frame(0, Buffer.from('b'))]],
    ['reserved bits, as of compression', [1, 2, 4, 7].map((rsv) => text('{"do":"play"}', { rsv }))],
    ['half a mask', [text('{"do":"play"}').subarray(0, 4)]],
    ['a length in more bytes than it needs', [Buffer.from([0x81, 0xfe, 0, 3, 0, 0, 0, 0, 97, 98, 99])]],
    ['a length with its highest bit set', [Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 97])]],
    ['texts that are no UTF-8', [frame(1, Buffer.from([0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf8])), frame(1, Buffer.from([0x7b, 0xff, 0x7d]))]],
    ['a text with zeros in it', [text('{"do":"pl\0ay"}'), text('\0'.repeat(4000))]],
    ['20000 pings', [...Array(20000)].map(() => frame(9, Buffer.from('ping')))],
    ['20000 acknowledgements of nothing', [...Array(20000)].map(() => text('seen'))],
    ['a close without a code, then commands', [frame(8, Buffer.alloc(0)), play, play]],
    ['a close with half a code', [frame(8, Buffer.from([3]))]],
    ['closes with codes that do not exist', [close(0), close(999), close(1005), close(65535)]],
    ['100 closes', [...Array(100)].map(() => close(1000))],
    ['a request inside a websocket', [Buffer.from(request(`/${token}/`))]],
    ['a websocket inside a websocket', [hello, play]],
    ['commands whose names lie', ['__proto__', 'constructor', 'play\u0000', 'PLAY', ' play'].map((d) => text(JSON.stringify({ do: d })))],
    ['numbers that are none', ['1e309', '-1e309', '"1"', 'true', '[1]', '{}', '1e-320', '0x10'].map((x) => text(`{"do":"pace","value":${x}}`))],
    ['a command that is said twice', [text('{"do":"pace","do":"reset","value":1,"value":"x"}')]],
  ];
  for (const [name, parts] of list) {
    const answer = (await talk(Buffer.concat([hello, ...parts]), 300)).toString('latin1');
    const code = answer.match(/^HTTP\/1\.\d (\d+)/)?.[1] ?? '-';
    console.log(`             ${name}: ${code}`);
    assert.equal(code, '101', name);
    await alive();
  }
});

// Connections that end at once, in every way a socket can end, at every place of a conversation.
test('1000 connections that die at any place do no harm', async () => {
  const descriptors = () => readdirSync(`/proc/${v.child.pid}/fd`).length;
  const before = descriptors();
  const whole = Buffer.concat([Buffer.from(request(`/${token}/live`, { ...upgrade, ...own })), text('{"do":"play"}'), text('seen'), frame(9, Buffer.from('x'))]);
  const page = Buffer.from(request(`/${token}/`));
  const die = (k) =>
    new Promise((done) => {
      const s = net.connect(port, '127.0.0.1');
      const bytes = k % 3 ? whole : page;
      s.on('error', done);
      s.on('close', done);
      s.on('connect', () => {
        s.write(bytes.subarray(0, 1 + random(bytes.length)));
        setTimeout(() => (k % 2 ? s.resetAndDestroy?.() ?? s.destroy() : s.end()), random(30));
        setTimeout(() => s.destroy(), 300);
      });
    });
  for (let k = 0; k < 1000; k += 50) await Promise.all(Array.from({ length: 50 }, (_, i) => die(k + i)));
  await alive();
  await until(() => descriptors() <= before + 20, `descriptors: ${before} before, ${descriptors()} after`);
});

test('pages that never read do not stop the others', async () => {
  const hello = Buffer.from(request(`/${token}/live`, { ...upgrade, ...own }));
  const deaf = Array.from({ length: 4 }, () => {
    const s = net.connect(port, '127.0.0.1', () => s.write(hello));
    s.pause();
    s.on('error', () => {});
    return s;
  });
  await sleep(300);
  const answer = await talk(Buffer.concat([hello, text('seen'), text('seen')]), 1200);
  assert.ok(answer.toString('latin1').includes('"type":"model"'));
  deaf.forEach((s) => s.destroy());
  await alive();
});

// A page whose websocket is open: `messages` are counted, nothing is acknowledged.
const tab = () =>
  new Promise((done) => {
    const s = net.connect(port, '127.0.0.1');
    const t = { socket: s, bytes: 0 };
    s.on('connect', () => s.write(request(`/${token}/live`, { ...upgrade, ...own })));
    s.on('data', (d) => {
      t.bytes += d.length;
      t.last = Buffer.concat([t.last ?? Buffer.alloc(0), d]).subarray(-4);
      done(t);
    });
    s.on('error', () => done(t));
  });

test('sixty requests that are never finished do not delay the page', async () => {
  const open = [...Array(60)].map(() => net.connect(port, '127.0.0.1'));
  for (const s of open) {
    s.on('error', () => {});
    s.write('GET / HTTP/1.1\r\nHost: ');
  }
  await sleep(300);
  const start = Date.now();
  assert.equal(await code(`/${token}/`), 200);
  assert.ok(Date.now() - start < 1500, `${Date.now() - start} ms`);
  for (const s of open) s.destroy();
});

// Times are generous, machines are busy: 300 wait for nobody (13 ms where this was written), more than there are threads are
// given up one after the other.
const crowd = async (n, most = 5000) => {
  const open = [...Array(n)].map(() => net.connect(port, '127.0.0.1'));
  for (const s of open) {
    s.on('error', () => {});
    s.write('GET / HTTP/1.1\r\nHost: ');
  }
  await sleep(100);
  const start = Date.now();
  const answer = (await talk(request(`/${token}/`), 15000)).toString('latin1');
  const took = Date.now() - start;
  console.log(`             page after ${took} ms`);
  for (const s of open) s.destroy();
  assert.match(answer, /^HTTP\/1.1 200/);
  assert.ok(took < most, `${took} ms`);
};
test('120 requests that are never finished delay the page by little', () => crowd(120));
test('300 requests that are never finished do not delay the page', () => crowd(300, 800));
test('700 requests that are never finished delay the page by little', () => crowd(700));

test('250 pages that never read leave room for another', async () => {
  const hello = request(`/${token}/live`, { ...upgrade, ...own });
  const deaf = Array.from({ length: 250 }, () => {
    const s = net.connect(port, '127.0.0.1', () => s.write(hello));
    s.pause();
    s.on('error', () => {});
    return s;
  });
  await sleep(300);
  const start = Date.now();
  const answer = (await talk(request(`/${token}/`), 15000)).toString('latin1');
  const mine = await Promise.race([tab(), sleep(15000)]);
  const took = Date.now() - start;
  console.log(`             page after ${took} ms`);
  for (const s of [...deaf, mine?.socket]) s?.destroy();
  assert.match(answer, /^HTTP\/1.1 200/);
  assert.ok(mine?.bytes > 0, 'no websocket for another page');
  assert.ok(took < 5000, `${took} ms`);
  await alive();
});

test('connections that say nothing, drip or stop in the middle of a frame do not delay the page', async () => {
  const hello = request(`/${token}/live`, { ...upgrade, ...own });
  const open = [...Array(90)].map(() => net.connect(port, '127.0.0.1'));
  open.forEach((s, i) => {
    s.on('error', () => {});
    s.on('data', () => {});
    // a third says nothing, a third drips a request that knows the token, a third stops inside a frame
    if (i % 3 === 1) {
      const whole = request(`/${token}/`);
      let at = 0;
      const drip = setInterval(() => (at < 20 && !s.destroyed ? s.write(whole[at++]) : clearInterval(drip)), 50);
    }
    if (i % 3 === 2) s.write(Buffer.concat([Buffer.from(hello), text('{"do":"reset"}').subarray(0, 5)]));
  });
  await sleep(400);
  const start = Date.now();
  assert.equal(await code(`/${token}/`), 200);
  assert.ok(Date.now() - start < 3000, `${Date.now() - start} ms`);
  for (const s of open) s.destroy();
  await alive();
});

test('forty forgotten tabs do not keep a new one out', async () => {
  const tabs = [];
  for (let i = 0; i < 40; i++) tabs.push(await tab());
  const start = Date.now();
  assert.equal(await code(`/${token}/`), 200);
  const mine = await tab();
  await sleep(700);
  assert.ok(mine.bytes > 1000, `${mine.bytes} bytes`); // the model and its first pictures
  assert.ok(Date.now() - start < 3000, `${Date.now() - start} ms`);
  assert.equal(tabs[0].last.toString('hex'), '88020fa1'); // told that another has its place (4001) ...
  assert.ok(tabs[0].socket.readableEnded, 'a tab that was replaced holds its connection'); // ... and let go
  assert.ok(!mine.socket.readableEnded);
  for (const t of [...tabs, mine]) t.socket.destroy();
});

test('it ends when it is asked to', async () => {
  v.child.kill('SIGINT');
  const { code: exit, text: said } = await v.ended;
  assert.equal(exit, 0, said);
  assert.doesNotMatch(said, /ERROR|runtime error/);
});

await run(() => v.child.kill('SIGKILL'));
