import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../support/docs/documents.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { type Subject } from '../../support/clients/calls.ts';
import { testKeys } from '../../support/clients/public-key-vectors.ts';
import { lastPass } from '../../support/clients/own-tests.ts';
import { type Language } from '../../support/clients/languages.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

/** Libraries are fetched and built the first time. */
const deadlineMs = 10 * 60_000;

/** The client's own tests, its package, and the first example of its README in an empty folder. */
export function packageCases(
  { folder, hasPrivateKeys }: Pick<Language, 'folder' | 'hasPrivateKeys'>,
  subject: () => Pick<Subject, 'gateway' | 'partner'>,
): void {
  const client = join(projectRoot, 'clients', folder);

  describe('the package', () => {
    it('passes its own tests', async () => {
      const last = await lastPass(folder);
      const { code, stdout, output } =
        last.stdout === null ? await run(client, ['test']) : { code: 0, stdout: last.stdout, output: '' };
      assert.equal(code, 0, output);
      const [, passed = '0'] = /(\d+)(?: tests)? passed/.exec(stdout.trim().split('\n').at(-1) ?? '') ?? [];
      assert.ok(Number(passed) > 0, `the last line says how many passed:\n${stdout.slice(-500)}`);
      if (last.stdout === null) await last.keep(stdout);
    }).timeout(deadlineMs);

    it('is built, and its first example gets 200 in an empty folder', async () => {
      const { gateway, partner } = subject();
      const build = await run(client, ['build']);
      assert.equal(build.code, 0, build.output);
      const files = (await readdir(join(client, 'dist'), { recursive: true })).map((name) =>
        join(client, 'dist', name),
      );
      const named = files.filter((name) => build.stdout.includes(name.slice(name.lastIndexOf('/') + 1)));
      const sizes = await Promise.all(named.map(async (name) => (await stat(name)).size));
      assert.ok(Math.max(0, ...sizes) > 1000, `build names a file below dist/: ${build.stdout}`);

      await using directory = await temporaryDirectory();
      const { code, stdout, output } = await run(client, ['sample', directory.path], {
        POSTERN_URL: `${gateway.plainUrl}/hmac`,
        APP_KEY: partner.hmac.appKey,
        APP_SECRET: partner.hmac.appSecret,
      });
      assert.equal(code, 0, output);
      assert.match(stdout, /\b200\b[^]*ok/);
      const { method, target, headers, body } = assertOne(gateway.backend.requests);
      assert.deepEqual([method, target, fieldValue(headers, 'x-consumer-id')], ['POST', '/hmac', partner.id]);
      assert.deepEqual(JSON.parse(body.toString()), { amount: 12 });
    }).timeout(2 * deadlineMs);

    if (hasPrivateKeys === true) {
      it('gets 200 with its first example of a private key', async () => {
        const { gateway, partner } = subject();
        await using directory = await temporaryDirectory();
        await using keys = await temporaryDirectory();
        const file = join(keys.path, 'private.pem');
        await writeFile(file, testKeys().ed25519.pem, { mode: 0o600 });
        const { code, stdout, output } = await run(client, ['sample', directory.path, 'private-key'], {
          POSTERN_URL: `${gateway.plainUrl}/signed-once?year=2026`,
          APP_KEY: partner.signers.ed25519,
          PRIVATE_KEY_FILE: file,
        });
        assert.equal(code, 0, output);
        assert.match(stdout, /\b200\b[^]*ok/);
        const { headers, body } = assertOne(gateway.backend.requests);
        assert.equal(fieldValue(headers, 'x-consumer-id'), partner.id);
        assert.deepEqual(JSON.parse(body.toString()), { amount: 12 });
      }).timeout(2 * deadlineMs);
    }
  });
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of both streams. */
  readonly output: string;
}

/** Runs the client's script; its group ends with the deadline. */
function run(client: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(client, 'run'), args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let [stdout, output] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
      output += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (output += piece));
    const end = (): void => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    };
    process.once('exit', end);
    const timer = setTimeout(end, deadlineMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', end);
      resolve({ code, stdout, output: output.slice(-3000) });
    });
  });
}
