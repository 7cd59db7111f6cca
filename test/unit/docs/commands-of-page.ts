import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPipeline } from '../../../src/partners/explain/read/shell-words.ts';
import { sampleCertificate } from '../../support/certificates/samples.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { spki } from '../../support/keys/bad-keys.ts';

/** The newest revision of a store, which stands for REVISION; `list` gives what `audit list -o json` prints. */
export function withNewestRevision(words: readonly string[], list: string): readonly string[] {
  const [newest] = JSON.parse(list) as readonly { readonly storeRevision: number }[];
  return words.map((word) => (word === 'REVISION' ? String(newest?.storeRevision) : word));
}

/** The commands of docs/commands.md in their order, each as the words after `postern`. */
export function commandsOfPage(): readonly (readonly string[])[] {
  return readFences(readDocument('docs/commands.md'), 'sh')
    .flatMap((text) => text.split(/(?<!\\)\n/))
    .filter((line) => line !== '')
    .map((line) => {
      const pipeline = readPipeline(line);
      assert.ok(!('problem' in pipeline), line);
      const [[program, ...words] = [], ...others] = pipeline;
      assert.deepEqual([program, others], ['postern', []], line);
      return words;
    });
}

/**
 * The words of a command with the files of these flags in this folder; each public key is made here, as the partner
 * does. `partners.csv` is the one of the page.
 */
export function writingInto(folder: string, words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const flag = words[index - 1];
    const isSheet = word === 'partners.csv';
    if (!isSheet && !['--out', '--public-key', '--certificate', '--handover'].includes(flag ?? '')) return word;
    const path = join(folder, word);
    if (isSheet) writeFileSync(path, readFences(readDocument('docs/commands.md'), 'csv').join(''));
    if (flag === '--certificate') writeFileSync(path, sampleCertificate.pem);
    if (flag === '--public-key' && !existsSync(path))
      writeFileSync(path, spki(generateKeyPairSync('ed25519').publicKey));
    return path;
  });
}
