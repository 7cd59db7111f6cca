import assert from 'node:assert/strict';
import { appendFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readFingerprint } from '../../../../src/base/files/fingerprint.ts';
import { WatchedFiles } from '../../../../src/base/files/watched-files.ts';
import { temporaryFolder } from '../../stores/file/support.ts';

describe('files that are watched', () => {
  const at = temporaryFolder();

  it('count as changed only when they stay the same from one look to the next', async () => {
    const file = at('postern.yaml');
    writeFileSync(file, 'version: 1\n');
    const watched = new WatchedFiles([file]);
    watched.remember(new Map([[file, await readFingerprint(file)]]));
    assert.equal(await watched.look(), 'none');
    appendFileSync(file, 'endpoints: []\n');
    assert.equal(await watched.look(), 'unsettled');
    appendFileSync(file, 'consumers: []\n');
    assert.equal(await watched.look(), 'unsettled');
    assert.equal(await watched.look(), 'settled');
    assert.equal(await watched.look(), 'settled');
    watched.remember(new Map([[file, await readFingerprint(file)]]));
    assert.equal(await watched.look(), 'none');
  });

  it('count as unchanged when they are as before again', async () => {
    const file = at('postern.yaml');
    const watched = new WatchedFiles([file]);
    watched.remember(new Map([[file, await readFingerprint(file)]]));
    writeFileSync(file, 'version: 1\n');
    assert.equal(await watched.look(), 'unsettled');
    rmSync(file);
    assert.equal(await watched.look(), 'none');
  });

  it('count as changed when only their times are others', async () => {
    const file = at('postern.yaml');
    writeFileSync(file, 'version: 1\n');
    const watched = new WatchedFiles([file]);
    watched.remember(new Map([[file, await readFingerprint(file)]]));
    utimesSync(file, 1, 1);
    assert.equal(await watched.look(), 'unsettled');
  });

  it('are looked at in turn when they are many', async () => {
    const secrets = Array.from({ length: 450 }, (_, n) => at(`secret-${String(n)}`));
    const watched = new WatchedFiles([at('postern.yaml')]);
    const absent = await readFingerprint(at('nothing'));
    watched.remember(new Map([at('postern.yaml'), ...secrets].map((path) => [path, absent])));
    writeFileSync(at('secret-449'), 'x');
    assert.deepEqual(await looks(watched, 4), ['none', 'none', 'unsettled', 'settled']);
  });

  async function looks(watched: WatchedFiles, count: number): Promise<readonly string[]> {
    const found: string[] = [];
    for (let at = 0; at < count; at += 1) found.push(await watched.look());
    return found;
  }
});
