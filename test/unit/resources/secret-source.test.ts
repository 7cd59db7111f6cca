import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyFileReader, secretReader } from '../../../src/resources/secret-source.ts';
import { DEMO_SECRET } from './support.ts';

describe('a secret outside the document', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-secret-'));
    mkdirSync(join(folder, 'secrets'));
    writeFileSync(join(folder, 'secrets/plain'), DEMO_SECRET);
    writeFileSync(join(folder, 'secrets/line'), `${DEMO_SECRET}\n`);
    writeFileSync(join(folder, 'secrets/lines'), `${DEMO_SECRET}\n\n`);
    writeFileSync(join(folder, 'secrets/dos'), `${DEMO_SECRET}\r\n`);
    writeFileSync(join(folder, 'secrets/long'), 'x'.repeat(2000));
    writeFileSync(join(folder, 'secrets/bytes'), Buffer.from([0xff, 0xfe, 0x80]));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const read = (file: string): unknown => secretReader({ environment: {} })({ file }, join(folder, 'postern.yaml'));

  it('is read from a file beside the document, without one trailing line feed', () => {
    assert.deepEqual(read('secrets/plain'), { text: DEMO_SECRET });
    assert.deepEqual(read('secrets/line'), { text: DEMO_SECRET });
    assert.deepEqual(read('secrets/lines'), { text: `${DEMO_SECRET}\n` });
    assert.deepEqual(read('secrets/dos'), { text: `${DEMO_SECRET}\r` });
    assert.deepEqual(read(join(folder, 'secrets/plain')), { text: DEMO_SECRET });
  });

  it('is missed with the reason', () => {
    assert.deepEqual(read('nothing'), { fault: 'names a file that cannot be read (ENOENT)' });
    assert.deepEqual(read('secrets'), { fault: 'names something that is not a plain file' });
    assert.deepEqual(read('/dev/zero'), { fault: 'names something that is not a plain file' });
    assert.deepEqual(read('secrets/long'), { fault: 'names a file that is too long for an App Secret' });
    assert.deepEqual(read('secrets/bytes'), { fault: 'names a file that is not UTF-8 text' });
  });

  it('is not where a public key is read, whose files are larger, and told of before they are read', () => {
    const told: string[] = [];
    const readKey = keyFileReader((path) => told.push(path));
    const document = join(folder, 'postern.yaml');
    assert.deepEqual(readKey('secrets/long', document), { text: 'x'.repeat(2000) });
    assert.deepEqual(readKey('nothing', document), { fault: 'names a file that cannot be read (ENOENT)' });
    assert.deepEqual(readKey('secrets', document), { fault: 'names something that is not a plain file' });
    assert.deepEqual(readKey('secrets/bytes', document), { fault: 'names a file that is not UTF-8 text' });
    assert.deepEqual(
      told,
      ['secrets/long', 'nothing', 'secrets', 'secrets/bytes'].map((name) => join(folder, name)),
    );
  });

  it('is read from the environment as it is', () => {
    const reader = secretReader({ environment: { NAME: `${DEMO_SECRET}\n` } });
    assert.deepEqual(reader({ env: 'NAME' }, 'postern.yaml'), { text: `${DEMO_SECRET}\n` });
    assert.deepEqual(reader({ env: 'OTHER' }, 'postern.yaml'), {
      fault: 'names an environment variable that is not set',
    });
  });

  it('is looked up in files that the caller learns of', () => {
    const files: string[] = [];
    const reader = secretReader({ environment: {}, onFile: (path) => files.push(path) });
    reader({ file: 'secrets/plain' }, join(folder, 'postern.yaml'));
    reader({ file: '../gone' }, join(folder, 'a/postern.yaml'));
    assert.deepEqual(files, [join(folder, 'secrets/plain'), join(folder, 'gone')]);
  });
});
