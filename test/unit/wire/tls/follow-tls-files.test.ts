import assert from 'node:assert/strict';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { followTlsFiles, openTlsFiles } from '../../../../src/wire/tls/follow-tls-files.ts';
import type { TlsFiles, TlsMaterial } from '../../../../src/wire/tls/tls-files.ts';
import { type Certified, makeCertificate } from '../../../support/grpc/certificate.ts';
import { poll } from '../../../support/time/poll.ts';
import { release } from '../../../support/lifetime/release.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

const authority = makeCertificate('authority');
const first = makeCertificate('postern', authority);
const second = makeCertificate('postern', authority);
const expired = makeCertificate('postern', authority, { notAfter: new Date('2021-01-01T00:00:00Z') });
const early = makeCertificate('postern', authority, { notBefore: new Date('2027-01-01T00:00:00Z') });

describe('following TLS files', () => {
  let directory: TemporaryDirectory;
  let files: TlsFiles;
  let nowMs: number;
  let replaced: TlsMaterial[];
  let told: string[];
  let problem: string | null;
  let following: AsyncDisposable | undefined;
  const path = (name: string): string => join(directory.path, name);

  beforeEach(async () => {
    directory = await temporaryDirectory();
    files = {
      certificate: { setting: 'POSTERN_TLS_CERTIFICATE', path: path('tls.crt') },
      key: { setting: 'POSTERN_TLS_KEY', path: path('tls.key') },
      ca: { setting: 'POSTERN_TLS_CLIENT_CA', path: path('ca.crt') },
    };
    nowMs = Date.parse('2026-01-01T00:00:00Z');
    [replaced, told, problem, following] = [[], [], null, undefined];
  });
  afterEach(() => release(directory, following));

  async function follow(): Promise<void> {
    following = followTlsFiles(await openTlsFiles(files), {
      replace: (material) => {
        if (problem !== null) throw new Error(problem);
        replaced.push(material);
      },
      observer: {
        taken: () => told.push('taken'),
        refused: (reason) => told.push(reason),
      },
      clock: { nowMs: () => nowMs, nowSeconds: () => Math.floor(nowMs / 1000), elapsedMs: () => nowMs },
      pollIntervalMs: 5,
    });
  }

  async function write({ cert, key }: Certified, ca = authority.cert): Promise<void> {
    await writeFile(path('tls.crt'), cert);
    await writeFile(path('tls.key'), key);
    await writeFile(path('ca.crt'), ca);
  }

  /** Until this was told last. What a slow machine sees of files while they are being written comes before. */
  const until = async (pattern: RegExp): Promise<void> => {
    await poll(String(pattern), () => Promise.resolve(pattern.test(told.at(-1) ?? '') ? true : null));
  };

  it('takes files that were written in place, once all of them fit together', async () => {
    await write(first);
    await follow();
    await writeFile(path('tls.crt'), second.cert);
    await until(/^POSTERN_TLS_KEY: .* is not the key of the first certificate in/);
    assert.equal(replaced.length, 0);
    await writeFile(path('tls.key'), second.key);
    await until(/^taken$/);
    assert.equal(replaced.at(-1)?.certificate?.toString(), second.cert);
    assert.equal(replaced.at(-1)?.key?.toString(), second.key);
  });

  it('takes files of a volume whose link Kubernetes turns', async () => {
    const volume = async (name: string, { cert, key }: Certified): Promise<void> => {
      await mkdir(path(name));
      await writeFile(path(`${name}/tls.crt`), cert);
      await writeFile(path(`${name}/tls.key`), key);
      await writeFile(path(`${name}/ca.crt`), authority.cert);
      await symlink(name, path('..data.next'));
      await rename(path('..data.next'), path('..data'));
    };
    await volume('..2026_01', first);
    for (const name of ['tls.crt', 'tls.key', 'ca.crt']) await symlink(`..data/${name}`, path(name));
    await follow();
    await volume('..2026_02', second);
    await until(/^taken$/);
    assert.deepEqual(told, ['taken']);
    assert.equal(replaced[0]?.certificate?.toString(), second.cert);
  });

  it('takes changed authorities alone', async () => {
    await write(first);
    await follow();
    await writeFile(path('ca.crt'), authority.cert + second.cert);
    await until(/^taken$/);
    assert.equal(replaced[0]?.ca?.toString(), authority.cert + second.cert);
  });

  it('keeps those in force while files are gone, cut off, or refused by the listener, and reports each once', async () => {
    await write(first);
    await follow();
    await writeFile(path('ca.crt'), authority.cert.slice(0, 300));
    await until(/ca\.crt is cut off or damaged/);
    await rename(path('tls.crt'), path('elsewhere'));
    await until(/tls\.crt cannot be read \(ENOENT\)/);
    problem = 'whether clients need a certificate cannot change while the listener runs';
    await write(second);
    await until(/cannot change while the listener runs/);
    assert.equal(replaced.length, 0);
    problem = null;
    await until(/^taken$/);
    assert.equal(replaced.length, 1);
    assert.equal(new Set(told).size, told.length, told.join('\n'));
  });

  it('takes changed authorities though certificate or key cannot be used, and reports both', async () => {
    const other = makeCertificate('other authority');
    await write(first);
    await follow();
    await rename(path('tls.key'), path('elsewhere'));
    await until(/tls\.key cannot be read \(ENOENT\)/);
    await writeFile(path('ca.crt'), other.cert);
    await poll('the other authority', () => Promise.resolve(replaced.length > 0 ? true : null));
    assert.deepEqual([replaced[0]?.ca, replaced[0]?.certificate, replaced[0]?.key].map(String), [
      other.cert,
      first.cert,
      first.key,
    ]);
    assert.deepEqual(
      replaced[0]?.validity.map(({ file }) => file.setting),
      ['POSTERN_TLS_CERTIFICATE', 'POSTERN_TLS_CLIENT_CA'],
    );
    await write(expired, authority.cert);
    await until(/tls\.crt expired at 2021-01-01T00:00:00Z$/);
    assert.deepEqual([replaced.at(-1)?.ca, replaced.at(-1)?.certificate].map(String), [authority.cert, first.cert]);
    await write(second, authority.cert);
    await until(/^taken$/);
    assert.equal(replaced.at(-1)?.certificate?.toString(), second.cert);
  });

  it('takes no certificate in place of a good one that has expired, or begins later', async () => {
    await write(first);
    await follow();
    await write(expired);
    await until(/tls\.crt expired at 2021-01-01T00:00:00Z$/);
    await write(early);
    await until(/is valid only from 2027-01-01T00:00:00Z on$/);
    assert.equal(replaced.length, 0);
    nowMs = Date.parse('2027-01-01T00:00:00Z');
    await until(/^taken$/);
    assert.equal(replaced[0]?.certificate?.toString(), early.cert);
  });

  it('reports nothing of files that stay as they are, and nothing after its end', async () => {
    await write(first);
    await follow();
    await release(following);
    following = undefined;
    await write(second);
    assert.deepEqual([told, replaced], [[], []]);
  });
});
