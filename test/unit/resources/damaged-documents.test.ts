import assert from 'node:assert/strict';
import fc from 'fast-check';
import { renderProblems } from '../../../src/cli/declarative-files.ts';
import { parseDocument, parsePlacedDocument } from '../../../src/resources/parse-document.ts';
import { secretReader } from '../../../src/resources/secret-source.ts';
import { FaultyDocument } from '../../../src/stores/file/file-store.ts';
import { damaged, documentsWithSecrets, leakedPart } from '../../support/declarative/documents-with-secrets.ts';
import { problemsOf, secretsOf } from './support.ts';

const out = { isTerminal: false, write: () => undefined };

/** All that any command or log says of a document: problems as data, for people and for the log; else what it declares. */
function saidOf(text: string): string {
  const source = { file: 'f.yaml', text };
  const parsed = parseDocument([source], { isComplete: true, readSecret: secretsOf({}) });
  const placed = parsePlacedDocument([source], {
    isComplete: false,
    references: 'elsewhere',
    readSecret: secretsOf({}),
  });
  const said: unknown[] = [parsed];
  for (const problems of [parsed, placed].flatMap((found) => ('problems' in found ? [found.problems] : []))) {
    said.push(problems, new FaultyDocument(problems).message);
    said.push(renderProblems(problems, new Map([['f.yaml', text]]), { environment: {}, out }));
  }
  return said.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');
}

describe('a document in which one character is wrong', () => {
  const isThorough = process.env['DAMAGE'] === 'all';

  for (const [style, { text, secret }] of Object.entries(documentsWithSecrets)) {
    it(`shows no piece of a secret: ${style}`, () => {
      assert.equal(problemsOf(text).join(), '');
      const check = (broken: string): void => {
        // JSON doubles backslashes and escapes quotes: the secret is looked for as it is and so written.
        const said = saidOf(broken);
        for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) {
          assert.equal(leakedPart(form, said), null, `${broken}\n----\n${said}`);
        }
      };
      if (isThorough) {
        for (let at = 0; at <= text.length; at += 1) for (const broken of damaged(text, at)) check(broken);
        return;
      }
      // Near the secret more happens than elsewhere.
      const near = text.indexOf(secret);
      const places = fc.oneof(
        fc.nat({ max: text.length }),
        fc.integer({ min: Math.max(0, near - 12), max: Math.min(text.length, near + secret.length + 4) }),
      );
      const damages = places.chain((at) => fc.constantFrom(...damaged(text, at)));
      fc.assert(fc.property(damages, check), { numRuns: 50 });
    }).timeout(isThorough ? 0 : 20_000);
  }
});

describe('a secret in place of the name of its variable or file', () => {
  const secret = 'HQ7ZK_WP4RT_8MNVX2J';
  const readSecret = secretReader({ environment: {} });

  for (const reference of [`env: ${secret}`, `file: ${secret}`, `file: secrets/${secret}\nenv: ${secret}`, secret]) {
    it(`is not shown: ${reference.replaceAll(secret, '…').replace('\n', ', ')}`, () => {
      const lines = reference.split('\n').join('\n          ');
      const text = `version: 1
consumers:
  - id: acme
    credentials:
      - method: hmac
        appKey: acme-key
        appSecretFrom:
          ${lines}
`;
      const parsed = parseDocument([{ file: 'f.yaml', text }], { isComplete: true, readSecret });
      assert.ok('problems' in parsed);
      const shown = renderProblems(parsed.problems, new Map([['f.yaml', text]]), { environment: {}, out });
      assert.equal(leakedPart(secret, JSON.stringify(parsed.problems) + shown), null);
      assert.match(shown, /"appSecretFrom" (?:names|must be)/);
    });
  }
});
