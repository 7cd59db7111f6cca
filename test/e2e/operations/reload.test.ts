import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { send } from '../../support/http/http-client.ts';
import { jsonBody } from '../../support/http/http-message.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { startTraffic, type Traffic } from '../../support/load/traffic.ts';

/** A document with the endpoint that traffic goes to, and one more that tells the revision. */
function revision(name: string): string {
  return `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
  - { id: ${name}, scenario: open, match: { paths: [{ exact: /${name} }] } }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
  - { id: ${name}, credentials: [{ id: ${name}-key, method: key, appKey: key-of-${name} }] }
`;
}

/** The file as Kubernetes mounts a ConfigMap: `postern.yaml` → `..data/postern.yaml`, `..data` → the current directory. */
class MountedFile {
  readonly path: string;
  readonly #directory: string;
  #count = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, 'postern.yaml');
  }

  async mount(text: string): Promise<void> {
    await this.swap(text);
    await symlink(join('..data', 'postern.yaml'), this.path);
  }

  /** Puts a new directory in place by turning one symbolic link. */
  async swap(text: string): Promise<void> {
    this.#count += 1;
    const next = `..${String(this.#count)}`;
    await mkdir(join(this.#directory, next));
    await writeFile(join(this.#directory, next, 'postern.yaml'), text);
    await symlink(next, join(this.#directory, '..data_tmp'));
    await rename(join(this.#directory, '..data_tmp'), join(this.#directory, '..data'));
  }

  async writeInPlace(text: string): Promise<void> {
    await writeFile(this.path, text);
  }

  async renameOver(text: string): Promise<void> {
    const next = join(this.#directory, 'next');
    await writeFile(next, text);
    await rename(next, join(this.#directory, '..data', 'postern.yaml'));
  }

  async remove(): Promise<void> {
    await rm(join(this.#directory, '..data', 'postern.yaml'));
  }
}

describe('the declarative file, changed while traffic flows,', () => {
  let directory: TemporaryDirectory;
  let file: MountedFile;
  let stack: Stack;
  let traffic: Traffic | undefined;
  before(async () => {
    directory = await temporaryDirectory();
    file = new MountedFile(directory.path);
    await file.mount(revision('first'));
    stack = await startStack(revision('unused'), { settings: { POSTERN_STORE: `file:${file.path}` } });
    traffic = await startTraffic(stack.envoy.port, { target: '/orders', headers: [['x-app-key', 'key-of-acme']] });
  });
  after(() => release(directory, stack, traffic));

  /** The revision that was last seen in force. */
  let current = 'first';

  /** Waits until a revision decides: its endpoint is there, its key works, and those of the one before are gone. */
  async function takesEffect(name: string): Promise<void> {
    await poll(`the revision ${name}`, async () => ((await statusAndCode(`/${name}`))[0] === 200 ? true : null));
    const former = current;
    current = name;
    await assertInForce(former);
  }

  /** The current revision decides, and another one does not. */
  async function assertInForce(other: string): Promise<void> {
    assert.deepEqual(await statusAndCode(`/${current}`), [200, null]);
    assert.deepEqual(await statusAndCode(`/orders?appKey=key-of-${current}`), [200, null]);
    assert.deepEqual(await statusAndCode(`/${other}`), [404, 'ENDPOINT_NOT_FOUND']);
    assert.deepEqual(await statusAndCode(`/orders?appKey=key-of-${other}`), [401, 'AUTHENTICATION_FAILED']);
  }

  async function statusAndCode(target: string): Promise<readonly [number, string | null]> {
    const answer = await send('HTTP/1.1', stack.envoy.port, { target });
    return [answer.status, answer.status === 200 ? null : (jsonBody(answer) as { code: string }).code];
  }

  /** Nothing but 200 so far, and traffic goes on. */
  async function assertUndisturbed(): Promise<void> {
    assert.ok(traffic);
    await traffic.more(50);
    assert.deepEqual([...traffic.outcomes.keys()], ['200']);
  }

  /** Waits for a complaint about the file after what was logged `from` the start, and gives its problems. */
  async function complaint(from: number, isWanted: (problem: string) => boolean): Promise<readonly string[]> {
    return await poll('a complaint', () => {
      const complaints = stack.postern
        .logs()
        .slice(from)
        .filter((line) => line['level'] === 'error');
      const found = complaints.find((line) => (line['problems'] as readonly string[]).some(isWanted));
      if (found === undefined) return Promise.resolve(null);
      assert.equal(
        found['message'],
        'the declarative file is wrong; the last good state stays in force until it is fixed',
      );
      return Promise.resolve(found['problems'] as readonly string[]);
    });
  }

  it('takes effect when it is written in place', async () => {
    await file.writeInPlace(revision('second'));
    await takesEffect('second');
    await assertUndisturbed();
  });

  it('takes effect when another one is renamed over it', async () => {
    await file.renameOver(revision('third'));
    await takesEffect('third');
    await assertUndisturbed();
  });

  it('takes effect when the symbolic link to its directory is turned', async () => {
    await file.swap(revision('fourth'));
    await takesEffect('fourth');
    await file.swap(revision('fifth'));
    await takesEffect('fifth');
    await assertUndisturbed();
  });

  it('keeps its last good state while it is wrong, says so with every place, and recovers when it is mended', async () => {
    const from = stack.postern.logs().length;
    await file.writeInPlace(`${revision('wrong')}  - { id: BAD ID }\nextra: true\n`);
    const places = [`${file.path}:9:11: `, `${file.path}:10:1: `];
    const problems = await complaint(from, (problem) => problem.startsWith(places[0] ?? ''));
    assert.deepEqual(
      problems.map((problem, index) => problem.startsWith(places[index] ?? '')),
      [true, true],
      problems.join('\n'),
    );
    await assertInForce('wrong');
    await assertUndisturbed();
    assert.equal((await fetch(`http://127.0.0.1:${String(stack.postern.adminPort)}/readyz`)).status, 200);
    assert.match(await stack.postern.metrics(), /^postern_store_reloads_total\{outcome="refused"\} [1-9]/m);
    await file.writeInPlace(revision('sixth'));
    await takesEffect('sixth');
    await assertUndisturbed();
  });

  it('keeps its last good state while it is no YAML, is empty, is half written or is gone', async () => {
    for (const make of [
      () => file.renameOver('version: 1\nendpoints: ['),
      () => file.renameOver(''),
      () => file.writeInPlace(revision('wrong').slice(0, -30)),
      () => file.remove(),
    ]) {
      const from = stack.postern.logs().length;
      await make();
      await complaint(from, (problem) => problem.startsWith(`${file.path}:`));
      await assertInForce('wrong');
    }
    await assertUndisturbed();
    await file.swap(revision('seventh'));
    await takesEffect('seventh');
    await assertUndisturbed();
  });

  it('is never told with an App Key', () => {
    assert.deepEqual((stack.postern.output() + stack.envoy.output()).match(/key-of-\w+/g), null);
  });
});
