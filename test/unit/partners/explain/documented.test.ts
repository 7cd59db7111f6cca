import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, readDocument, readTable } from '../../../support/docs/documents.ts';

/** What explains refused requests, and the faults of credentials with their names. */
const SOURCE = /\/(?:explain|explanation)\b|\/methods\/caller\.ts$/;

/** Every name that the source gives a mistake. */
function namesInSource(): readonly string[] {
  return ['src/partners/explain', 'src/check/methods'].flatMap((directory) =>
    namesInDirectory(join(projectRoot, directory)),
  );
}

function namesInDirectory(directory: string): readonly string[] {
  return readdirSync(directory).flatMap((entry) => {
    const path = join(directory, entry);
    if (entry === 'read') return [];
    if (statSync(path).isDirectory()) return namesInDirectory(path);
    return SOURCE.test(path.slice(projectRoot.length)) ? namesInFile(path) : [];
  });
}

function namesInFile(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const patterns = [
    /\bname: '([a-z0-9%-]+)'/g,
    /(?:order|spelling|[mM]istake)\(\s*'([a-z0-9%-]+)'/g,
    /^ {2}\[\s*'([a-z0-9-]+)',/gm,
    /^export const OTHER_APP_KEY = '([a-z-]+)'/gm,
    /\b(?:hmac|basic|bearer): '([a-z-]+)'/g,
    /\?\? '(key-[a-z-]+)'/g,
    // By what the gateway says of a credential.
    /^ {4}\/.*\/,\n {4}'([a-z-]+)',$/gm,
    /^ {2}\[\/.*\/, '([a-z-]+)',/gm,
    /\bname = '([a-z-]+)'/g,
  ];
  return patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name = '']) => name));
}

/** Not mistakes of their own: parts of other names. */
const NOT_MISTAKES = ['body-latin1'];

describe('the list of mistakes in examples/explain/README.md', () => {
  const rows = readTable(readDocument('examples/explain/README.md'), 'What');
  const documented = rows.flatMap(([, names = '']) =>
    Array.from(names.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
  );

  it('names each one that explain can name, once', () => {
    const known = [...new Set(namesInSource())].filter((name) => !NOT_MISTAKES.includes(name));
    assert.ok(known.length > 100);
    assert.deepEqual(known.filter((name) => !documented.includes(name)).sort(), []);
    assert.equal(new Set(documented).size, documented.length);
  });

  it('names none that there is not', () => {
    const known = new Set(namesInSource());
    const fromVariants = (name: string): string => name.replace(/^digest-of-/, '');
    const codes = [
      'path-not-normal',
      'malformed-request',
      'too-many-parameters',
      'ambiguous-parameters',
      'malformed-wrapper',
    ];
    const refusals = [
      ...codes,
      'endpoint-not-found',
      'body-too-large',
      'body-not-verifiable',
      'credentials-malformed',
      'address-not-allowed',
      'not-authorized',
    ];
    const variants = ['body-line-feed', 'body-reformatted', 'body-line-ends', 'body-empty', 'body-byte-order-mark'];
    const others = [...refusals, ...variants, 'body-latin1'];
    assert.deepEqual(
      documented.filter((name) => !known.has(name) && !others.includes(name) && !others.includes(fromVariants(name))),
      [],
    );
  });
});
