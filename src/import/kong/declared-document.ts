import { writeDocument } from '../../document/declare/write-document.ts';
import type { Declared } from '../../document/declare/declared.ts';
import { parseDocument } from '../../document/parse-document.ts';
import { formatProblem } from '../../document/problem.ts';
import type { ImportedKong } from './import-kong.ts';

const comment = [
  'Written by "postern import kong". Endpoints with "enabled: false" refuse everything: see what the import told about them.',
  'It may hold secrets: keep it where passwords are kept.',
];

/**
 * The text of an imported document, piece by piece. It is read once before, as `postern validate` does, so that what
 * is written can be served; that it could not would be a defect, which throws.
 */
export async function* declaredDocument(imported: ImportedKong, format: 'yaml' | 'json'): AsyncGenerator<string> {
  const { endpoints, consumers, grants } = imported;
  const text = JSON.stringify({ version: 1, endpoints, consumers, grants });
  const read = parseDocument([{ file: 'document', text }], {
    isComplete: true,
    // Secrets that are kept elsewhere need not be there yet.
    readSecret: () => ({ text: 'a secret that is kept elsewhere' }),
  });
  if ('problems' in read) {
    const [first] = read.problems;
    throw new Error(`the imported document cannot be served: ${first === undefined ? '' : formatProblem(first)}`);
  }
  yield* writeDocument(
    { comment, endpoints: inTurn(endpoints), consumers: inTurn(consumers), grants: inTurn(grants) },
    format,
  );
}

async function* inTurn(list: readonly Declared[]): AsyncGenerator<Declared> {
  for (const item of list) yield await Promise.resolve(item);
}
