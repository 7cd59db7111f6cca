/**
 * Measures what the clients need for a signature: a POST of 200 bytes, by hmac and by a key on P-256.
 *
 *   node clients/tools/speed.mjs [--count=1000000] [--method=hmac | p256] [LANGUAGE…]
 *
 * `./run speed` of a client is a program that reads lines `METHOD COUNT`. For each it makes so many signatures, and as
 * many by the functions of its language alone, and answers with the nanoseconds of CPU time of both: `BARE SIGNED`. For
 * hmac, bare is SHA-256 of the body and HMAC-SHA256 of the string to sign, from the bytes of the App Secret; for P-256
 * it is the signature of the base with a key that was read before. Both take turns in 200 rounds. A tenth of
 * the rounds are faster than the figure of each, because other work of the machine only adds to the time.
 */
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const LANGUAGES = ['javascript', 'python', 'go', 'java', 'php', 'rust'];
const METHODS = ['hmac', 'p256'];
const ROUNDS = 200;

const { values, positionals } = parseArgs({
  options: { count: { type: 'string', default: '1000000' }, method: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const perRound = Math.ceil(Number(values.count) / ROUNDS);
const methods = values.method ?? METHODS;
const isKnown =
  positionals.every((name) => LANGUAGES.includes(name)) && methods.every((name) => METHODS.includes(name));
if (!(perRound > 0) || !isKnown) {
  console.error(
    `usage: node clients/tools/speed.mjs [--count=1000000] [--method=hmac | p256] [${LANGUAGES.join(' | ')}]…`,
  );
  process.exit(2);
}
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PRIVATE_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' });

console.log('| Client | Method | Bare, µs | Signed, µs | Ratio | MiB at 10 % | MiB at 100 % |');
console.log('|---|---|---:|---:|---:|---:|---:|');
for (const language of positionals.length > 0 ? positionals : LANGUAGES) await measure(language);

/** Prints a line for each method of a client. */
async function measure(language) {
  const folder = fileURLToPath(new URL(`../${language}/`, import.meta.url));
  const stdio = ['pipe', 'pipe', 'inherit'];
  const program = spawn('./run', ['speed'], { cwd: folder, stdio, env: { ...process.env, PRIVATE_KEY } });
  const exited = once(program, 'exit');
  const answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  for (const method of methods) {
    const rounds = [];
    let early = 0;
    while (rounds.length < ROUNDS) {
      program.stdin.write(`${method} ${perRound}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`the program of ${language} ended`);
      rounds.push(value.split(' ').map((nanoseconds) => Number(nanoseconds) / 1000 / perRound));
      if (rounds.length === ROUNDS / 10) early = memoryOf(program.pid);
    }
    const [bare, signed] = [0, 1].map((column) => lowestTenth(rounds.map((each) => each[column])));
    const figures = [bare.toFixed(2), signed.toFixed(2), (signed / bare).toFixed(2), early, memoryOf(program.pid)];
    console.log(`| ${[language, method, ...figures].join(' | ')} |`);
  }
  program.stdin.end();
  await exited;
}

/** What a process has in memory, in MiB. */
function memoryOf(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return (Number(stdout) / 1024).toFixed(1);
}

function lowestTenth(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 10)];
}
