import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readBuiltHelp } from '../../../src/cli/built-help.ts';
import { renderHelp } from '../../../src/cli/render-help.ts';
import { importsOf } from '../../../scripts/rooms/read-imports.mjs';
import { readDocument } from '../../support/docs/documents.ts';
import { runCli } from './run-cli.ts';

describe('help that the build wrote', () => {
  let path: string;
  let folder: URL;
  let texts: ReadonlyMap<string, string>;

  before(async () => {
    path = await mkdtemp(join(tmpdir(), 'help-'));
    folder = pathToFileURL(`${path}/`);
    texts = await renderHelp();
    for (const [file, text] of texts) await writeFile(join(path, file), text);
  });
  after(async () => {
    await rm(path, { recursive: true });
  });

  it('is what the commands print, for each of them', async () => {
    assert.ok(texts.size > 80);
    for (const file of texts.keys()) {
      const words = file.split('.').slice(1, -1);
      const { code, out, err } = await runCli([...words, '--help']);
      assert.deepEqual([code, err], [0, '']);
      assert.equal(readBuiltHelp([...words, '--help'], {}, folder), out, file);
      assert.equal(readBuiltHelp([...words, '-h'], { columns: 200 }, folder), out, file);
    }
  });

  it('is left to the command itself on a narrow terminal, and for anything but the name of a command', () => {
    assert.equal(readBuiltHelp(['consumer', '--help'], { columns: 79 }, folder), null);
    for (const args of [
      [],
      ['consumer'],
      ['consumers', '--help'],
      ['consumer', 'create', 'acme', '--help'],
      ['consumer', '--help', 'create'],
      ['consumer', '-o', '--help'],
      ['../package', '--help'],
      ['', '--help'],
    ]) {
      assert.equal(readBuiltHelp(args, {}, folder), null, args.join(' '));
    }
  });

  it('is there without a single command loaded', () => {
    const loaded = new Set(['main.ts']);
    // What is added meanwhile is visited too.
    for (const file of loaded) {
      for (const { specifier, isType, isLazy } of importsOf(file, readDocument(`src/${file}`))) {
        if (!isType && !isLazy && specifier.startsWith('.')) loaded.add(join(dirname(file), specifier));
      }
    }
    assert.deepEqual([...loaded].toSorted(), [
      'base/clock.ts',
      'cli/built-help.ts',
      'cli/process-terminal.ts',
      'main.ts',
    ]);
  });
});
