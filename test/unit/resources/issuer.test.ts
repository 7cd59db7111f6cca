import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { compileCatalog } from '../../../src/check/route/endpoint-table.ts';
import { MAX_ISSUERS } from '../../../src/model/bounds.ts';
import { formatProblem } from '../../../src/model/document/problem.ts';
import { readPlain } from '../../../src/model/document/read-plain.ts';
import { type Issuer, issuerDefaults } from '../../../src/model/issuer.ts';
import { jwtAlgorithms } from '../../../src/model/jwt-algorithms.ts';
import { readJwkSet } from '../../../src/model/read-jwk-set.ts';
import { buildState } from '../../../src/resources/build-state.ts';
import { declareIssuer, declareWholeIssuer, readIssuerAlone, readStoredIssuer } from '../../../src/resources/issuer.ts';
import { parseDocument } from '../../../src/resources/parse-document.ts';
import { anySecret } from '../../../src/resources/secret-source.ts';
import { issuer } from '../../support/pipeline/resources.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = ec.publicKey.export({ format: 'jwk' });
const base = {
  id: 'partner-idp',
  issuer: 'https://idp.partner.example',
  jwksUri: 'https://idp.partner.example/keys',
  audiences: ['https://api.example.com'],
};

const text = fc.stringMatching(/^[\x20-\x7e]{1,20}$/);
const claimName = fc.stringMatching(/^[a-z]{4,8}$/).filter((name) => name !== '__proto__');
const own = readJwkSet({
  keys: [
    { ...jwk, kid: 'a' },
    { ...jwk, alg: 'ES256' },
  ],
});
const issuers: fc.Arbitrary<Issuer> = fc.record(
  {
    id: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/),
    description: text,
    labels: fc.dictionary(claimName, claimName, { maxKeys: 3, noNullPrototype: true }),
    issuer: text,
    keys: fc.constantFrom<Issuer['keys']>(
      { kind: 'uri', jwksUri: 'https://a.example:8443/keys?v=1' },
      { kind: 'jwks', keys: 'keys' in own ? own.keys : [] },
    ),
    audiences: fc.uniqueArray(text, { minLength: 1, maxLength: 4 }),
    algorithms: fc
      .subarray([...jwtAlgorithms], { minLength: 1 })
      .map((some) => jwtAlgorithms.filter((each) => some.includes(each) || each === 'ES256')),
    clockSkewSeconds: fc.integer({ min: 0, max: 600 }),
    requiredClaims: fc
      .dictionary(claimName, fc.oneof(text, fc.uniqueArray(text, { minLength: 2, maxLength: 3 })), {
        maxKeys: 3,
        noNullPrototype: true,
      })
      .map((claims) => Object.fromEntries(Object.entries(claims).sort(([one], [other]) => (one < other ? -1 : 1)))),
    enabled: fc.boolean(),
  },
  { noNullPrototype: true },
);

/** What is wrong with an issuer, by places. */
function problemsOf(raw: object): readonly string[] {
  const read = readPlain({ ...base, ...raw }, readIssuerAlone);
  return 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

function problemsOfFile(document: string, file = 'f'): readonly string[] {
  const parsed = parseDocument([{ file, text: document }], { readSecret: anySecret, isComplete: true });
  return 'problems' in parsed ? parsed.problems.map((each) => formatProblem(each).split('\n', 1)[0] ?? '') : [];
}

describe('an issuer of a file', () => {
  it('is declared as it was read', () => {
    fc.assert(
      fc.property(issuers, (each) => {
        assert.deepEqual(readPlain(declareIssuer(each), readIssuerAlone), { value: each });
        assert.deepEqual(readPlain(declareWholeIssuer(each), readStoredIssuer), { value: each });
      }),
    );
    assert.deepEqual(declareIssuer(issuer()), base);
    assert.deepEqual(readPlain(base, readIssuerAlone), { value: issuer() });
  });

  it('has its keys in one place', () => {
    const keys = { keys: [jwk] };
    assert.deepEqual(problemsOf({ jwksUri: undefined }), [
      ': the keys are missing; an issuer has "jwksUri", or "jwks"',
    ]);
    assert.deepEqual(problemsOf({ jwks: keys }), ['jwks: "jwksUri" and "jwks" exclude each other; keep one']);
    assert.match(problemsOf({ jwksFile: 'keys.json' }).join(), /^jwksFile: unknown key/);
  });

  it('has keys at an https address without user and fragment', () => {
    const rule = 'jwksUri: "jwksUri" must be an https address without user and fragment, of at most 2048 characters';
    for (const jwksUri of [
      'http://a.example/keys',
      'https://me:secret@a.example/keys',
      'https://a.example/keys#a',
      'https://a.example/ keys',
      'https://',
      'a.example/keys',
      `https://a.example/${'k'.repeat(2048)}`,
    ]) {
      assert.deepEqual(problemsOf({ jwksUri }), [rule], jwksUri);
    }
  });

  it('never holds a private key, and says which key is wrong', () => {
    const hidden = ec.privateKey.export({ format: 'jwk' });
    const found = problemsOf({ jwksUri: undefined, jwks: { keys: [hidden] } });
    assert.match(found.join(), /^jwks: "jwks": this is a private key: it must never leave the partner/);
    assert.equal(found.join().includes(String(hidden.d)), false);
    assert.deepEqual(problemsOf({ jwksUri: undefined, jwks: { keys: [jwk, { ...jwk, x: 'AAAA' }] } }), [
      'jwks.keys[1]: item 2 of "keys" has no "x" and "y" of 32 bytes in base64url each',
    ]);
    assert.deepEqual(problemsOf({ jwksUri: undefined, jwks: { keys: [{ ...jwk, use: 'enc' }] } }), [
      'jwks: "jwks" has no key that verifies tokens; those for other uses are passed over',
    ]);
  });

  it('takes asymmetric algorithms alone, of which one goes with a key of its own', () => {
    for (const algorithms of [['none'], ['HS256'], ['ES256', 'ES256'], []]) {
      assert.match(
        problemsOf({ algorithms }).join(),
        /^algorithms: "algorithms" must be a list of different algorithms/,
      );
    }
    assert.deepEqual(problemsOf({ jwksUri: undefined, jwks: { keys: [jwk] }, algorithms: ['RS256'] }), [
      'algorithms: no key of the issuer is for one of its "algorithms"; add one',
    ]);
  });

  it('has bounds for everything that it says', () => {
    assert.match(problemsOf({ audiences: [] }).join(), /^audiences: "audiences" must be a list of 1 to 16 different/);
    assert.match(problemsOf({ issuer: 'a\u0000' }).join(), /^issuer: "issuer" must hold 1 to 512 characters/);
    assert.match(problemsOf({ clockSkewSeconds: 601 }).join(), /must be a whole number from 0 to 600$/);
    const claims = (requiredClaims: object): string => problemsOf({ requiredClaims }).join();
    assert.match(claims({ aud: 'x' }), /must not be of "iss", "aud", .*: these are checked by rules of their own$/);
    assert.match(claims({ tenant: 5 }), /must be a text of 1 to 512 characters, or a list of 1 to 32 such texts$/);
    assert.match(claims({ tenant: [] }), /must be a text of 1 to 512 characters, or a list/);
    assert.equal(claims({ tenant: 'acme', roles: ['a', 'b'] }), '');
  });

  it('shares neither id nor "issuer", and is one of at most so many', () => {
    const rest = 'jwksUri: "https://a.example/keys", audiences: [a]';
    const document = `version: 1
issuers:
  - { id: a, issuer: one, ${rest} }
  - { id: a, issuer: two, ${rest} }
  - { id: b, issuer: one, ${rest} }
`;
    assert.deepEqual(problemsOfFile(document), [
      'f:4:11: the id "a" is taken by the issuer on line 3',
      'f:5:22: the issuer on line 3 has the same "issuer"; one is enough for all its consumers: keep one',
    ]);
    const lines = Array.from(
      { length: MAX_ISSUERS + 1 },
      (_, at) => `  - { id: i${String(at)}, issuer: i${String(at)}, ${rest} }\n`,
    );
    assert.deepEqual(problemsOfFile(`version: 1\nissuers:\n${lines.join('')}`), [
      `f:${String(MAX_ISSUERS + 3)}:5: at most ${String(MAX_ISSUERS)} issuers may be, and this is beyond; remove some`,
    ]);
    assert.match(
      problemsOfFile(`version: 1\nselector: { team: a }\nissuers:\n  - { id: a, issuer: one, ${rest} }\n`).join(),
      /this issuer does not carry team=a, the selector/,
    );
  });

  it('has keys in a file beside the document', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-issuer-'));
    const file = join(folder, 'postern.yaml');
    const document = 'version: 1\nissuers:\n  - { id: a, issuer: one, jwksFile: keys.json, audiences: [a] }\n';
    try {
      writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [{ ...jwk, kid: 'k1' }] }));
      const parsed = parseDocument([{ file, text: document }], { readSecret: anySecret, isComplete: true });
      assert.ok('content' in parsed);
      const [read] = parsed.content.issuers;
      assert.deepEqual(read === undefined ? null : declareIssuer(read), {
        id: 'a',
        issuer: 'one',
        jwks: { keys: [{ kty: 'EC', kid: 'k1', crv: 'P-256', x: jwk.x, y: jwk.y }] },
        audiences: ['a'],
      });
      const problems = (): string => problemsOfFile(document, file).join().replace(`${folder}/`, '');
      writeFileSync(join(folder, 'keys.json'), JSON.stringify(ec.privateKey.export({ format: 'jwk' })));
      assert.match(problems(), /^postern.yaml:3:37: "jwksFile": this is a private key/);
      writeFileSync(join(folder, 'keys.json'), '{"keys":[],"keys":[]}');
      assert.match(problems(), /^postern.yaml:3:37: "jwksFile": this is no JSON, or names something twice$/);
      rmSync(join(folder, 'keys.json'));
      assert.match(problems(), /"jwksFile" names a file that cannot be read \(ENOENT\)$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is what credentials name, with at most so many different sets of claims', () => {
    const head = `version: 1
issuers: [{ id: partner-idp, issuer: one, jwksUri: "https://a.example/keys", audiences: [a] }]
consumers:
  - id: acme
    credentials:
`;
    const credential = (id: string, issuerId: string, claim: string): string =>
      `      - { id: ${id}, method: jwt, issuer: ${issuerId}, claims: { ${claim}: acme } }\n`;
    assert.deepEqual(problemsOfFile(`${head}${credential('a', 'partner-ipd', 'azp')}`), [
      'f:6:39: there is no issuer "partner-ipd"; did you mean "partner-idp"?',
    ]);
    const claims = Array.from({ length: 9 }, (_, at) => credential(`c${String(at)}`, 'partner-idp', `c${String(at)}`));
    assert.deepEqual(problemsOfFile(`${head}${claims.join('')}`), [
      'f:14:61: the credentials of the issuer "partner-idp" have more than 8 different sets of claims, by their names; use the same claims for all',
    ]);
    const parsed = parseDocument([{ file: 'f', text: `${head}${claims.slice(0, 8).join('')}` }], {
      readSecret: anySecret,
      isComplete: true,
    });
    assert.ok('content' in parsed);
    const found = compileCatalog(buildState(parsed.content)).issuers.find('one');
    assert.deepEqual(
      found?.claimNames,
      Array.from({ length: 8 }, (_, at) => [`c${String(at)}`]),
    );
  });

  it('has defaults that a document leaves out', () => {
    assert.deepEqual(issuerDefaults.algorithms, jwtAlgorithms);
    assert.equal(issuerDefaults.clockSkewSeconds, 60);
  });
});
