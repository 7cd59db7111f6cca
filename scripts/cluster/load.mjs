// node load.mjs HOST:PORT RATE: signed requests in an open loop, until standard input ends; then one line of JSON.
// node load.mjs HOST:PORT first: asks until the first signed 200.
//
// Every answer that is not 200 goes to standard error with its time. What is called, and by whom, is of the demo.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';

const timeoutMs = 10_000;
const [target, rate] = process.argv.slice(2);
const [host, port] = target.split(':');
const base = '/invoices';
const appKey = 'acme-hmac-demo';
const secret = 'public-demo-secret-of-acme-for-hmac';
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const clock = () => new Date().toISOString().slice(11, 23);

function signedHeaders(path) {
  const date = new Date().toUTCString();
  const signature = createHmac('sha256', secret).update(`date: ${date}\nGET ${path} HTTP/1.1`).digest('base64');
  return {
    date,
    authorization: [
      `hmac appkey="${appKey}"`,
      'algorithm="hmac-sha256"',
      'headers="date request-line"',
      `signature="${signature}"`,
    ].join(', '),
  };
}

/** Resolves to `{ outcome, ms }`; an outcome other than "200" says what came instead, without what differs each time. */
function ask(number) {
  const path = `${base}/${number}`;
  const start = performance.now();
  return new Promise((resolve) => {
    const done = (outcome) => resolve({ outcome, ms: performance.now() - start });
    const call = request({ host, port, path, headers: signedHeaders(path), agent, timeout: timeoutMs }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (text) => (body += text))
        .on('end', () => {
          const code = /"code":"(\w+)"/.exec(body)?.[1] ?? body.slice(0, 60).trim();
          done(response.statusCode === 200 ? '200' : `${response.statusCode} ${code}`);
        })
        .on('error', (error) => done(`cut: ${error.code}`));
    });
    call.on('timeout', () => call.destroy(Object.assign(new Error('no answer'), { code: 'no answer in time' })));
    call.on('error', (error) => done(`${error.code}${call.reusedSocket ? ' on a kept connection' : ''}`));
    call.end();
  });
}

async function untilFirst() {
  for (let n = 0; ; n += 1) {
    if ((await ask(n)).outcome === '200') return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function atRate() {
  let isOver = false;
  process.stdin.resume().once('end', () => (isOver = true));
  const outcomes = {};
  const times = [];
  const pending = new Set();
  const begin = performance.now();
  for (let n = 0; !isOver; n += 1) {
    const due = begin + (n / Number(rate)) * 1000;
    if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
    const asked = ask(n).then(({ outcome, ms }) => {
      pending.delete(asked);
      times.push(ms);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome !== '200') process.stderr.write(`${clock()} ${n} ${outcome} ${ms.toFixed(0)} ms\n`);
    });
    pending.add(asked);
  }
  await Promise.all(pending);
  times.sort((left, right) => left - right);
  const at = (share) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  const seconds = Math.round((performance.now() - begin) / 1000);
  return { sent: times.length, seconds, outcomes, p50: at(0.5), p99: at(0.99), most: at(1) };
}

if (rate === 'first') await untilFirst();
else process.stdout.write(`${JSON.stringify(await atRate())}\n`);
process.exit();
