import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { parseConfig } from '../../../src/gateway/config.ts';
import { checkTlsFiles } from '../../../src/wire/tls/check-tls-files.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { listenerFiles } from '../../../src/gateway/configured-files.ts';
import { readTlsFiles } from '../../../src/wire/tls/tls-files.ts';
import { readPipeline } from '../../../src/partners/explain/read/shell-words.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { type JsonObject } from '../../support/envoy/envoy-config.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { authoritiesSecret, identitySecret, transportSocket } from '../../support/tls/envoy-tls.ts';

const run = promisify(execFile);
const page = readDocument('docs/tls.md');
const yamls = readFences(page, 'yaml').map((text) => parse(text) as JsonObject);
const commands = readFences(page, 'sh').map((text) => text.split('\n').filter((line) => line !== ''));

/** The words of a line of the page. */
function wordsOf(line: string): readonly string[] {
  const pipeline = readPipeline(line);
  assert.ok(!('problem' in pipeline), line);
  return pipeline.flat();
}

/** The variables that `export` lines of a block set. */
function exportsOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines
    .map(wordsOf)
    .filter(([program]) => program === 'export')
    .flatMap((words) => words.slice(1));
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** Whether there is openssl 3, which first could sign with `req -CA`. */
async function hasOpenssl(): Promise<boolean> {
  return await run('openssl', ['version']).then(
    ({ stdout }) => /^OpenSSL ([3-9]|\d\d)\./.test(stdout),
    () => false,
  );
}

describe('docs/tls.md', () => {
  it('shows Envoy’s secrets and transport socket as the rotation test uses them', () => {
    const [identity, authorities, socket] = yamls;
    const [folder, name] = ['/etc/envoy/tls', 'postern.internal'];
    assert.deepEqual(identity, identitySecret(`${folder}/tls.crt`, `${folder}/tls.key`, folder));
    assert.deepEqual(authorities, authoritiesSecret(`${folder}/ca.crt`, folder));
    const places = { identity: '/etc/envoy/sds/identity.yaml', authorities: '/etc/envoy/sds/authorities.yaml' };
    assert.deepEqual(socket, { transport_socket: transportSocket(places, name, 'h2') });
  });

  it('shows settings that are right', () => {
    const blocks = commands.map(exportsOf).filter((settings) => Object.keys(settings).length > 0);
    assert.equal(blocks.length, 5);
    for (const settings of blocks) {
      const parsed = parseConfig(settings);
      assert.ok('config' in parsed, 'problems' in parsed ? parsed.problems.join('\n') : '');
    }
  });

  it('names settings that there are', () => {
    const known = parseConfig(
      Object.fromEntries([...page.matchAll(/\bPOSTERN_[A-Z_]+[A-Z]\b/g)].map(([name]) => [name, ''])),
    );
    const unknown = 'problems' in known ? known.problems : [];
    // The beginning of a name, of which the rest follows.
    assert.deepEqual(
      unknown.filter((problem) => !problem.startsWith('POSTERN_TLS:')),
      [],
    );
  });

  it('makes certificates, by commands that work, that the doctor finds nothing wrong with', async function () {
    this.timeout(30_000);
    // Where there is no openssl, the commands cannot be run; that they are read as they are meant, can be seen.
    const isRun = await hasOpenssl();
    await using directory = await temporaryDirectory();
    const [block = []] = commands;
    for (const line of block) {
      const [program = '', ...args] = wordsOf(line);
      if (program === 'openssl' && isRun) await run(program, args, { cwd: directory.path });
      if (program === 'chmod' && isRun) await run(program, args, { cwd: directory.path });
    }
    assert.deepEqual([...new Set(block.map((line) => wordsOf(line)[0]))], ['openssl', 'chmod', 'export', 'postern']);
    if (!isRun) return;
    const settings = Object.entries(exportsOf(block)).map(([name, value]) => [
      name,
      value.includes('.') ? join(directory.path, value) : value,
    ]);
    const parsed = parseConfig(Object.fromEntries(settings) as Record<string, string>);
    assert.ok('config' in parsed && parsed.config.httpTls);
    const files = listenerFiles(parsed.config);
    assert.ok(files);
    const { findings } = await checkTlsFiles(files, { clock: systemClock, isServer: true });
    assert.deepEqual(
      findings.filter(({ level }) => level !== 'ok'),
      [],
    );
    const envoy = { certificate: at('envoy.crt'), key: at('envoy.key'), ca: at('ca.crt') };
    assert.equal((await readTlsFiles(envoy)).validity.length, 2);
    assert.equal((await stat(join(directory.path, 'postern.key'))).mode & 0o777, 0o600);
    assert.match(await readFile(join(directory.path, 'ca.crt'), 'utf8'), /BEGIN CERTIFICATE/);

    function at(name: string): { setting: string; path: string } {
      return { setting: name, path: join(directory.path, name) };
    }
  });
});
