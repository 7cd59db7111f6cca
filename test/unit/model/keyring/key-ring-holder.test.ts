import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { formatProblem } from '../../../../src/model/document/problem.ts';
import { KeyRingHolder, type KeyRingObserver } from '../../../../src/model/keyring/key-ring-holder.ts';
import { FaultyKeyRing, loadKeyRing } from '../../../../src/model/keyring/read-key-ring.ts';
import { CannotOpen, type SealedFor } from '../../../../src/model/keyring/sealed.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { ringText, testKeyRing } from '../../../support/keyring/test-key-ring.ts';
import { poll } from '../../../support/time/poll.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

const acme: SealedFor = { credentialId: 'acme-hmac', what: 'app-secret' };
const NEVER_MS = 1_000_000;

describe('a key ring that is held open', () => {
  let folder: TemporaryDirectory;
  let told: string[] = [];
  let holder: KeyRingHolder | null = null;
  beforeEach(async () => {
    folder = await temporaryDirectory();
    told = [];
    await writeFile(ringPath(), ringText(1), { mode: 0o600 });
  });
  afterEach(async () => {
    await holder?.[Symbol.asyncDispose]();
    holder = null;
    await folder[Symbol.asyncDispose]();
  });

  function ringPath(): string {
    return join(folder.path, 'ring.yaml');
  }

  async function open(pollIntervalMs = 5): Promise<KeyRingHolder> {
    const short = (source: string): string => source.replace(`${folder.path}/`, '');
    const observer: KeyRingObserver = {
      loaded: (source, ring, warnings) => {
        told.push([`loaded ${short(source)}`, ring.keyIds.join(' '), ...warnings.map(short)].join(': '));
      },
      refused: (source, problems) => {
        told.push(`refused ${short(source)}: ${problems.map(formatProblem).map(short).join(' ')}`);
      },
      defect: (_source, error) => {
        told.push(`defect ${String(error)}`);
      },
    };
    holder = await KeyRingHolder.open(
      { kind: 'file', path: ringPath() },
      { environment: {}, pollIntervalMs, observer },
    );
    return holder;
  }

  /** Puts a file in the place of the ring in one step. */
  async function put(text: string, mode = 0o600): Promise<void> {
    await writeFile(join(folder.path, 'new'), text);
    await chmod(join(folder.path, 'new'), mode);
    await rename(join(folder.path, 'new'), ringPath());
  }

  async function untilTold(last: RegExp): Promise<void> {
    await poll(String(last), async () => await Promise.resolve(last.test(told.at(-1) ?? '') ? true : null));
  }

  it('seals and opens with the ring of the file', async () => {
    const held = await open();
    const sealed = held.seal(Secret.fromText('hunter2'), acme);
    assert.deepEqual([held.currentKeyId, sealed.keyId], ['test-key-1', 'test-key-1']);
    assert.equal(held.open(sealed, acme).reveal().toString(), 'hunter2');
    assert.equal(testKeyRing(1).open(sealed, acme).reveal().toString(), 'hunter2');
    assert.deepEqual(told, ['loaded ring.yaml: test-key-1']);
  });

  it('takes a rotation over while it runs, and still opens what was sealed before', async () => {
    const held = await open();
    const before = held.seal(Secret.fromText('hunter2'), acme);
    await put(ringText(1, 2));
    await untilTold(/^loaded ring\.yaml: test-key-1 test-key-2$/);
    assert.equal(held.seal(Secret.fromText('x'), acme).keyId, 'test-key-2');
    assert.equal(held.open(before, acme).reveal().toString(), 'hunter2');
    assert.equal(told.length, 2);
  });

  it('follows a write in place and a turned symlink', async () => {
    const held = await open();
    await writeFile(ringPath(), ringText(2, 1));
    await untilTold(/test-key-2 test-key-1$/);
    await held[Symbol.asyncDispose]();
    await rm(ringPath());
    for (const number of [3, 4]) {
      await mkdir(join(folder.path, `version-${String(number)}`));
      await writeFile(join(folder.path, `version-${String(number)}`, 'ring.yaml'), ringText(number), { mode: 0o600 });
    }
    await symlink('version-3', join(folder.path, 'data'));
    await symlink('data/ring.yaml', ringPath());
    const linked = await open();
    assert.equal(linked.currentKeyId, 'test-key-3');
    await symlink('version-4', join(folder.path, 'data-next'));
    await rename(join(folder.path, 'data-next'), join(folder.path, 'data'));
    await untilTold(/^loaded ring\.yaml: test-key-4: the key test-key-3 was removed/);
    assert.equal(linked.currentKeyId, 'test-key-4');
  });

  it('keeps the last good ring while the file is wrong or gone, and reports it once', async () => {
    const held = await open();
    await put('version: 1\n');
    await untilTold(/^refused ring\.yaml: ring\.yaml:1:1: "current" is missing/);
    assert.equal(held.currentKeyId, 'test-key-1');
    const { problems } = held;
    assert.equal(problems.length, 2);
    await put('version: 1\n\n');
    await poll('another look', async () => await Promise.resolve(held.problems === problems ? null : true));
    await rm(ringPath());
    await untilTold(/^refused ring\.yaml: ring\.yaml:1:1: the file cannot be read \(ENOENT\)$/);
    assert.equal(
      held
        .open(testKeyRing(1).seal(Secret.fromText('a'), acme), acme)
        .reveal()
        .toString(),
      'a',
    );
    await put(ringText(1));
    await untilTold(/^loaded/);
    assert.deepEqual(held.problems, []);
    assert.equal(told.filter((line) => line.startsWith('refused')).length, 2, told.join('\n'));
  });

  it('warns when a key is another one now, or can be read by others', async () => {
    await open();
    await put(ringText(9).replaceAll('test-key-9', 'test-key-1'), 0o640);
    await untilTold(
      /others than its owner have access to this key ring \(mode 0640\).*: the key test-key-1 is another one now/,
    );
  });

  it('looks at the file when a record names a key that it does not have', async () => {
    const held = await open(NEVER_MS);
    const later = testKeyRing(1, 2).seal(Secret.fromText('hunter2'), acme);
    assert.equal(await held.reload(), false);
    assert.throws(() => held.open(later, acme), CannotOpen);
    await writeFile(ringPath(), ringText(1, 2));
    assert.throws(() => held.open(later, acme), CannotOpen);
    assert.equal(await held.reload(), true);
    assert.equal(held.open(later, acme).reveal().toString(), 'hunter2');
    assert.equal(held.currentKeyId, 'test-key-2');
    assert.deepEqual([await held.reload(), told.length], [false, 2]);
  });

  it('looks once for many that ask at the same time', async () => {
    const held = await open(NEVER_MS);
    await writeFile(ringPath(), ringText(1, 2));
    assert.deepEqual(
      await Promise.all(Array.from({ length: 50 }, async () => await held.reload())),
      Array(50).fill(true),
    );
    assert.equal(told.length, 2);
  });

  it('does not complain about a file that is half written when it is asked to look', async () => {
    const held = await open(NEVER_MS);
    await writeFile(ringPath(), ringText(1, 2).slice(0, 120));
    assert.equal(await held.reload(), false);
    assert.deepEqual([held.currentKeyId, told.length, held.problems], ['test-key-1', 1, []]);
  });

  it('is read from the environment once', async () => {
    const environment = { KEY_RING: ringText(1) };
    const observer = { loaded: () => undefined, refused: () => undefined, defect: () => undefined };
    holder = await KeyRingHolder.open({ kind: 'environment', name: 'KEY_RING' }, { environment, observer });
    assert.equal(holder.currentKeyId, 'test-key-1');
    assert.equal(await holder.reload(), false);
  });

  it('reports nothing after it was closed', async () => {
    const held = await open();
    await held[Symbol.asyncDispose]();
    await writeFile(ringPath(), ringText(2));
    assert.equal(await held.reload(), false);
    assert.deepEqual([held.currentKeyId, told.length], ['test-key-1', 1]);
  });

  it('is not shown with its keys', async () => {
    const held = await open();
    const shown = `${inspect(held, { showHidden: true, depth: 20 })}${JSON.stringify(held)}${told.join()}`;
    assert.ok(!shown.includes(Buffer.alloc(32, 1).toString('base64').slice(0, 10)));
    assert.ok(!shown.includes('01 01'));
  });
});

describe('a key ring that is missing or wrong at the start', () => {
  for (const [what, name, environment, isMissing, message] of [
    [
      'no file',
      'nowhere/ring.yaml',
      {},
      true,
      /^POSTERN_KEYRING names no key ring that can be used:\nnowhere\/ring\.yaml:1:1: the file cannot be read \(ENOENT\)\n.*"postern keyring create nowhere\/ring\.yaml" makes a new one/,
    ],
    ['a folder', '.', {}, false, /\n\.:1:1: the file is not a plain file\n/],
    [
      'no variable',
      'env:KEY_RING',
      {},
      true,
      /\nenv:KEY_RING:1:1: this environment variable is not set; .*\n.*"postern keyring create FILE"/,
    ],
    ['an empty variable', 'env:KEY_RING', { KEY_RING: '' }, true, /is not set/],
    ['a wrong text', 'env:KEY_RING', { KEY_RING: 'version: 1' }, false, /"current" is missing.*\n.*"keys" is missing/],
  ] as const) {
    it(`is a fault that names the setting and the command to make one: ${what}`, async () => {
      const location = name.startsWith('env:')
        ? ({ kind: 'environment', name: 'KEY_RING' } as const)
        : ({ kind: 'file', path: name } as const);
      const observer = { loaded: () => undefined, refused: () => undefined, defect: () => undefined };
      for (const work of [
        loadKeyRing(location, environment),
        KeyRingHolder.open(location, { environment, observer }),
      ]) {
        await assert.rejects(work, (error) => {
          assert.ok(error instanceof FaultyKeyRing);
          assert.equal(error.isMissing, isMissing);
          assert.match(error.message, message);
          return true;
        });
      }
    });
  }
});
