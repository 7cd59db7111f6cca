import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageFile } from '../../../bench/requests/messages.ts';

describe('a file of messages', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'postern-messages-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('is written again when it is older than two minutes, and not before', async () => {
    let nowMs = 5000;
    let made = 0;
    const path = join(directory, 'file');
    const file = new MessageFile(
      path,
      () => [Buffer.from(String((made += 1)))],
      () => nowMs,
    );
    const seen = async (): Promise<string> => {
      await file.renew();
      return readFileSync(path, 'latin1').slice(-1);
    };
    assert.equal(await seen(), '1');
    nowMs += 119_999;
    assert.equal(await seen(), '1');
    nowMs += 1;
    assert.equal(await seen(), '2');
    assert.equal(await seen(), '2');
    await file.rewrite();
    assert.equal(await seen(), '3');
  });
});
