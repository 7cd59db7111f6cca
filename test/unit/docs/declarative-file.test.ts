import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { authenticationMethods } from '../../../src/model/endpoint.ts';
import { parseDocument } from '../../../src/resources/parse-document.ts';
import { formatProblem } from '../../../src/model/document/problem.ts';
import { secretReader } from '../../../src/resources/secret-source.ts';
import { findDocuments, readDocument, readFences } from '../../support/docs/documents.ts';
import { spki } from '../../support/keys/bad-keys.ts';

const page = readDocument('docs/declarative-file.md');

/** What files are that the documents name with `publicKey`. */
const publicKeyFile = spki(generateKeyPairSync('ed25519').publicKey);
/** What the documents name with `appSecretFrom`. */
const environment = { ACME_SECRET: 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9' };

/** Reads a text as a file store does; the problems as an operator would see them. */
function read(text: string): { readonly problems: readonly string[]; readonly endpoints: number } {
  const parsed = parseDocument([{ file: 'postern.yaml', text }], {
    readSecret: secretReader({ environment }),
    readKeyFile: () => ({ text: publicKeyFile }),
    isComplete: true,
  });
  if ('problems' in parsed) return { problems: parsed.problems.map(formatProblem), endpoints: 0 };
  return { problems: [], endpoints: parsed.content.endpoints.length };
}

/** The methods of each option that the page has: `- option (methods; default): meaning`. */
function readOptions(): ReadonlyMap<string, readonly string[]> {
  const [, section = ''] = /\n### Options\n([^]*?)\n### /.exec(page) ?? [];
  const signed = ['hmac', 'parameter-signature', 'http-message-signature'];
  const options = new Map<string, readonly string[]>();
  for (const [, names = '', words = ''] of section.matchAll(/^- (`\w+`(?:, `\w+`)*) \(([^;]+);/gm)) {
    const methods = words.split(', ').flatMap((word) => (word === 'signed' ? signed : [word]));
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g))
      options.set(name, [...(options.get(name) ?? []), ...methods]);
  }
  return options;
}

/** What `read` says about an endpoint of a method that has one option with a wrong value. */
function tryOption(name: string, method: string): string {
  const authentication = method === 'open' ? 'scenario: open' : `scenario: partner-openapi, authentication: ${method}`;
  const endpoint = `{ id: a, ${authentication}, match: { paths: [{ prefix: / }] }, options: { ${name}: { } } }`;
  return read(`version: 1\nendpoints: [${endpoint}]\n`).problems.join('\n');
}

describe('docs/declarative-file.md', () => {
  it('has a complete example that can be served', () => {
    const [example = ''] = readFences(page, 'yaml');
    assert.deepEqual(read(example), { problems: [], endpoints: 2 });
  });

  it('shows the messages that its faulty example really gets', () => {
    const faulty = readFences(page, 'yaml').at(-1) ?? '';
    const [shown = ''] = readFences(page, 'console');
    const printed = shown.split('\n').filter((line) => line.startsWith('postern.yaml:'));
    assert.deepEqual(printed, read(faulty).problems);
  });

  it('says which methods take which option', () => {
    for (const [name, methods] of readOptions()) {
      for (const method of [...authenticationMethods, 'open']) {
        const isRefusedForMethod = /is an option for|takes only the options/.test(tryOption(name, method));
        assert.equal(isRefusedForMethod, !methods.includes('all') && !methods.includes(method), `${name} on ${method}`);
      }
    }
  });

  it('names every option', () => {
    const known = /known keys: ([\w, ]+)/.exec(tryOption('zzzzzzzzzzzzzzzzzzzz', 'key'))?.[1]?.split(', ');
    assert.deepEqual([...readOptions().keys()].sort(), [...(known ?? [])].sort());
  });
});

describe('declarative files in the documents', () => {
  it('can be served as they stand, but for the faulty one', () => {
    const faulty = readFences(page, 'yaml').at(-1);
    const files = findDocuments().flatMap((document) =>
      readFences(readDocument(document), 'yaml').flatMap((text) =>
        text.startsWith('version: 1') && text !== faulty ? [{ document, text }] : [],
      ),
    );
    assert.ok(files.length >= 2);
    for (const { document, text } of files) assert.deepEqual(read(text).problems, [], document);
  });
});
