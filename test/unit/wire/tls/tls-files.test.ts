import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findUntimely, readTlsFiles, type TlsFiles } from '../../../../src/wire/tls/tls-files.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';
import { release } from '../../../support/lifetime/release.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

const authority = makeCertificate('authority', undefined, { notAfter: new Date('2040-01-01T00:00:00Z') });
const server = makeCertificate('server', authority, { notAfter: new Date('2030-01-01T00:00:00Z') });
const other = makeCertificate('server', authority);
const DAY_MS = 86_400_000;

describe('TLS files', () => {
  let directory: TemporaryDirectory;
  let files: TlsFiles & { readonly [K in keyof TlsFiles]: NonNullable<TlsFiles[K]> };
  beforeEach(async () => {
    directory = await temporaryDirectory();
    const place = (name: string): string => join(directory.path, name);
    files = {
      certificate: { setting: 'POSTERN_TLS_CERTIFICATE', path: place('tls.crt') },
      key: { setting: 'POSTERN_TLS_KEY', path: place('tls.key') },
      ca: { setting: 'POSTERN_TLS_CLIENT_CA', path: place('ca.crt') },
    };
    await writeFile(files.certificate.path, server.cert + authority.cert);
    await writeFile(files.key.path, server.key);
    await writeFile(files.ca.path, authority.cert + other.cert);
  });
  afterEach(() => release(directory));

  it('are read with the time at which the first certificate of each expires', async () => {
    const { certificate, key, ca, validity } = await readTlsFiles(files);
    assert.equal(certificate?.toString(), server.cert + authority.cert);
    assert.equal(key?.toString(), server.key);
    assert.equal(ca?.toString(), authority.cert + other.cert);
    assert.deepEqual(
      validity.map(({ file, notAfterMs }) => [file.setting, new Date(notAfterMs).toISOString()]),
      [
        ['POSTERN_TLS_CERTIFICATE', '2030-01-01T00:00:00.000Z'],
        ['POSTERN_TLS_CLIENT_CA', '2040-01-01T00:00:00.000Z'],
      ],
    );
  });

  it('may hold certificate and key in one file', async () => {
    await writeFile(files.certificate.path, server.key + server.cert);
    const { validity } = await readTlsFiles({ ...files, key: { ...files.key, path: files.certificate.path } });
    assert.equal(validity.length, 2);
  });

  it('may be authorities alone', async () => {
    const { certificate, ca } = await readTlsFiles({ certificate: null, key: null, ca: files.ca });
    assert.ok(certificate === null && ca !== null);
  });

  const cut = (text: string): string => text.slice(0, text.length - 40);
  const broken = (text: string): string => text.replace(/^(.{64})$/m, (line) => line.replace(/./g, 'A'));
  for (const [what, which, text, told] of [
    ['an empty certificate', 'certificate', '', /^POSTERN_TLS_CERTIFICATE: .*tls\.crt holds no certificate in PEM/],
    ['a key for a certificate', 'certificate', server.key, /^POSTERN_TLS_CERTIFICATE: .* holds no certificate in PEM/],
    ['a chain that is cut off', 'certificate', server.cert + cut(authority.cert), /tls\.crt is cut off or damaged/],
    ['a damaged certificate', 'certificate', broken(server.cert), /tls\.crt holds a certificate that cannot be read/],
    ['an empty key', 'key', '', /^POSTERN_TLS_KEY: .*tls\.key holds no private key in PEM that can be read/],
    ['a key that is cut off', 'key', cut(server.key), /^POSTERN_TLS_KEY: .*tls\.key holds no private key in PEM/],
    ['the key of another certificate', 'key', other.key, /^POSTERN_TLS_KEY: .*tls\.key is not the key of the first/],
    ['a chain in the wrong order', 'certificate', authority.cert + server.cert, /with the certificate itself before/],
    ['no authorities', 'ca', '\n', /^POSTERN_TLS_CLIENT_CA: .*ca\.crt holds no certificate in PEM/],
    ['authorities that are cut off', 'ca', authority.cert + cut(other.cert), /ca\.crt is cut off or damaged/],
  ] as const) {
    it(`are refused with ${what}, by setting and file, without a word of what is in it`, async () => {
      await writeFile(files[which].path, text);
      await assert.rejects(readTlsFiles(files), (error: Error) => {
        assert.equal(error.name, 'TlsProblem');
        assert.match(error.message, told);
        assert.doesNotMatch(error.message, /-----|MI[A-Z]/);
        return true;
      });
    });
  }

  it('are refused when one is not there, or cannot be read', async () => {
    const missing = { ...files.key, path: join(directory.path, 'nothing') };
    await assert.rejects(
      readTlsFiles({ ...files, key: missing }),
      /^TlsProblem: POSTERN_TLS_KEY: .*nothing cannot be read \(ENOENT\)$/,
    );
    await mkdir(missing.path);
    await assert.rejects(readTlsFiles({ ...files, key: missing }), /cannot be read \(EISDIR\)/);
  });

  it('are untimely before and after the time of the own certificate, whatever the authorities', async () => {
    const material = await readTlsFiles(files);
    const expiryMs = Date.parse('2030-01-01T00:00:00Z');
    assert.equal(findUntimely(material, files, expiryMs - DAY_MS), null);
    assert.match(
      findUntimely(material, files, expiryMs) ?? '',
      /^POSTERN_TLS_CERTIFICATE: .* expired at 2030-01-01T00:00:00Z$/,
    );
    const early = findUntimely(material, files, Date.parse('2019-06-01T00:00:00Z'));
    assert.match(early ?? '', /is valid only from 2020-01-01T00:00:00Z on$/);
    const trustOnly = { certificate: null, key: null, ca: files.ca };
    assert.equal(findUntimely(await readTlsFiles(trustOnly), trustOnly, expiryMs * 2), null);
  });
});
