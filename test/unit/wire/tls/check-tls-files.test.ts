import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkTlsFiles } from '../../../../src/wire/tls/check-tls-files.ts';
import type { TlsFiles } from '../../../../src/wire/tls/tls-files.ts';
import { type Certified, makeCertificate } from '../../../support/grpc/certificate.ts';
import { release } from '../../../support/lifetime/release.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../cli/run-cli.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const clock = { nowMs: () => nowMs, nowSeconds: () => nowMs / 1000, elapsedMs: () => nowMs };
const authority = makeCertificate('authority');
const good = makeCertificate('postern', authority);

describe('postern doctor on TLS files', () => {
  let directory: TemporaryDirectory;
  let files: TlsFiles;
  const path = (name: string): string => join(directory.path, name);
  beforeEach(async () => {
    directory = await temporaryDirectory();
    files = {
      certificate: { setting: 'POSTERN_TLS_CERTIFICATE', path: path('tls.crt') },
      key: { setting: 'POSTERN_TLS_KEY', path: path('tls.key') },
      ca: { setting: 'POSTERN_TLS_CLIENT_CA', path: path('ca.crt') },
    };
  });
  afterEach(() => release(directory));

  async function examine(
    own: Certified,
    ca: string,
    { mode = 0o600, isServer = true } = {},
  ): Promise<readonly string[]> {
    await writeFile(path('tls.crt'), own.cert);
    await writeFile(path('tls.key'), own.key);
    await chmod(path('tls.key'), mode);
    await writeFile(path('ca.crt'), ca);
    const { findings } = await checkTlsFiles(files, { clock, isServer });
    return findings.map(
      ({ level, subject, message }) => `${level}: ${subject.replace(`${directory.path}/`, '')}: ${message}`,
    );
  }

  it('finds nothing wrong with good ones', async () => {
    assert.deepEqual(await examine(good, authority.cert), [
      'ok: POSTERN_TLS_CERTIFICATE tls.crt: is valid until 2049-12-31T23:59:59Z',
      'ok: POSTERN_TLS_CLIENT_CA ca.crt: is valid until 2049-12-31T23:59:59Z',
    ]);
  });

  for (const [what, options, told] of [
    ['that has expired', { notAfter: new Date('2026-05-31T23:59:59Z') }, 'fault: .* expired at 2026-05-31T23:59:59Z'],
    [
      'that ends within two weeks',
      { notAfter: new Date('2026-06-14T12:00:00Z') },
      'warning: .* expires at 2026-06-14T12:00:00Z, in 13 days',
    ],
    [
      'that begins later',
      { notBefore: new Date('2026-06-02T00:00:00Z') },
      'fault: .* is valid only from 2026-06-02T00:00:00Z on',
    ],
    ['for no name', { names: null }, 'warning: .* has no subject alternative name'],
  ] as const) {
    it(`finds a certificate ${what}`, async () => {
      const findings = await examine(makeCertificate('postern', authority, options), authority.cert);
      assert.match(findings.join('\n'), new RegExp(told));
    });
  }

  it('wants no name of a client certificate', async () => {
    const findings = await examine(makeCertificate('postern', authority, { names: null }), authority.cert, {
      isServer: false,
    });
    assert.ok(
      findings.every((finding) => finding.startsWith('ok: ')),
      findings.join('\n'),
    );
  });

  it('finds a key that every user can read', async () => {
    const findings = await examine(good, authority.cert, { mode: 0o644 });
    assert.ok(
      findings.includes('warning: POSTERN_TLS_KEY tls.key: can be read by every user of this machine (mode 0644)'),
    );
    assert.equal((await examine(good, authority.cert, { mode: 0o440 })).length, 2);
  });

  it('finds authorities that have expired, are none, or are a public trust store', async () => {
    const old = makeCertificate('old', undefined, { notAfter: new Date('2026-01-01T00:00:00Z') });
    assert.match(
      (await examine(good, old.cert)).join('\n'),
      /fault: .*ca\.crt: every authority in it has expired: no certificate is/,
    );
    assert.match(
      (await examine(good, old.cert + authority.cert)).join('\n'),
      /warning: .* 1 of 2 authorities in it have expired/,
    );
    assert.match(
      (await examine(good, authority.cert + good.cert)).join('\n'),
      /warning: .* 1 of 2 certificates in it are no auth/,
    );
    const many = (await examine(good, authority.cert.repeat(21))).join('\n');
    assert.match(many, /warning: .* trusts 21 authorities: anyone with a certificate of any of them/);
  });

  it('is reported by the command, with what to do about it', async () => {
    await writeFile(path('postern.yaml'), 'version: 1\n');
    await examine(good, authority.cert);
    await writeFile(path('tls.key'), authority.key);
    const { code, out } = await runCli(['doctor'], {
      POSTERN_STORE: `file:${path('postern.yaml')}`,
      POSTERN_TLS_CERTIFICATE: path('tls.crt'),
      POSTERN_TLS_KEY: path('tls.key'),
    });
    assert.equal(code, 1);
    assert.match(
      out,
      /✗ TLS files: POSTERN_TLS_KEY: \S+tls\.key is not the key of the first certificate in \S+tls\.crt;/,
    );
    assert.match(out, /→ fix the files, or correct the settings/);
    assert.doesNotMatch(out, /-----/);
  });
});
