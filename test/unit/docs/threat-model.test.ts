import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { authenticationMethods } from '../../../src/model/endpoint.ts';
import { projectRoot, readDocument, readTable } from '../../support/docs/documents.ts';

interface Shown {
  /** Letters of STRIDE: spoofing, tampering, repudiation, information disclosure, denial of service, elevation. */
  readonly kinds: string;
  /** Shows what the page says; null where nothing stops the threat. */
  readonly test: string | null;
}

/** Each threat of docs/threat-model.md, by border, and the test that shows what stops it. */
const shown: Readonly<Record<string, Readonly<Record<string, Shown>>>> = {
  '(1)': {
    'Forged identity headers': { kinds: 'S', test: 'test/e2e/chain/identity.test.ts' },
    'Guessed App Keys and secrets': { kinds: 'S', test: 'test/e2e/key/unknowable.test.ts' },
    'Public App Keys sent as keys': {
      kinds: 'S',
      test: 'test/unit/check/methods/key/authenticate.test.ts',
    },
    'Stolen App Keys and secrets': {
      kinds: 'S',
      test: 'test/unit/check/authorize/allowed-address.test.ts',
    },
    'Forged tokens, `alg: none`': { kinds: 'S', test: 'test/unit/check/tokens/access-tokens.test.ts' },
    'Forged tokens of issuers': { kinds: 'S', test: 'test/unit/check/methods/jwt/authenticate.test.ts' },
    'Guessing client secrets, or locking a client out': {
      kinds: 'SD',
      test: 'test/unit/base/throttle.test.ts',
    },
    'Forged, repeated or foreign assertions': {
      kinds: 'ST',
      test: 'test/unit/gateway/oauth2/client-assertion.test.ts',
    },
    'A client certificate in a header': { kinds: 'S', test: 'test/e2e/certificate/mutual-tls.test.ts' },
    "A partner's name in a foreign certificate": {
      kinds: 'S',
      test: 'test/unit/check/methods/certificate/authenticate.test.ts',
    },
    'An expired or revoked certificate': {
      kinds: 'S',
      test: 'test/unit/check/methods/certificate/authenticate.test.ts',
    },
    'A stolen access token': { kinds: 'S', test: 'test/unit/gateway/oauth2/bound-tokens.test.ts' },
    'Changed signed requests': { kinds: 'T', test: 'test/e2e/hmac/tampered.test.ts' },
    'A private key at the gateway': {
      kinds: 'SI',
      test: 'test/unit/check/methods/http-message-signature/authenticate.test.ts',
    },
    'Signatures over too little': {
      kinds: 'T',
      test: 'test/unit/check/methods/http-message-signature/authenticate.test.ts',
    },
    'Other spellings of signatures': {
      kinds: 'T',
      test: 'test/unit/check/methods/hmac/properties.test.ts',
    },
    'Ambiguous paths (`..;/`, `%2e`, `//`)': {
      kinds: 'T',
      test: 'test/e2e/routing/non-normal.test.ts',
    },
    'Partial bodies': { kinds: 'T', test: 'test/e2e/chain/body-limit.test.ts' },
    'Ambiguous JSON wrappers': { kinds: 'T', test: 'test/unit/check/methods/parameter-signature/wrapper.test.ts' },
    'Replayed requests': { kinds: 'T', test: 'test/e2e/operations/replay.test.ts' },
    'Disputed calls': { kinds: 'R', test: 'test/e2e/operations/access.test.ts' },
    'Probing for App Keys': { kinds: 'I', test: 'test/unit/stores/unknown-app-keys.test.ts' },
    'Credentials in logs of back ends': { kinds: 'I', test: 'test/e2e/key/hide-credentials.test.ts' },
    'JSON wrappers at the back end': { kinds: 'I', test: 'test/e2e/unwrap/never-wrapped.test.ts' },
    'Secrets through `signatureHints`': { kinds: 'I', test: 'test/e2e/hmac/hints-and-observe.test.ts' },
    'Filling the replay memory': { kinds: 'D', test: 'test/unit/check/replay/in-process.test.ts' },
    'Filling the list of revoked tokens': { kinds: 'D', test: 'test/unit/check/tokens/revoked-tokens.test.ts' },
    'Many, slow or huge requests': { kinds: 'D', test: 'test/unit/wire/server/http2/connection-floods.test.ts' },
    'Input that crashes or costs too much': { kinds: 'D', test: 'test/fuzz/targets.ts' },
    'Floods of log lines': { kinds: 'D', test: 'test/unit/gateway/observe/line-budget.test.ts' },
    'Floods of invented App Keys': { kinds: 'D', test: 'test/unit/stores/cache/look-up-gate.test.ts' },
    'Using up a shared limit': { kinds: 'D', test: 'test/e2e/ratelimit/limits.test.ts' },
    'Another method, for a wider endpoint': { kinds: 'E', test: 'test/e2e/routing/match.test.ts' },
    'An endpoint named by header': { kinds: 'E', test: 'test/e2e/routing/named-endpoint.test.ts' },
  },
  '(2)': {
    'Calls past Envoy': { kinds: 'SE', test: null },
    'ext_authz missing or failing open': { kinds: 'T', test: 'test/e2e/chain/guard.test.ts' },
    'Replaced bodies in access logs': { kinds: 'I', test: 'test/e2e/chain/guard.test.ts' },
  },
  '(3)': {
    'Plain traffic': { kinds: 'STI', test: 'test/e2e/operations/transport.test.ts' },
    'A client of a removed authority': { kinds: 'S', test: 'test/e2e/operations/tls-rotation.test.ts' },
    "Token guesses in another's name": { kinds: 'S', test: 'test/unit/gateway/serving/http-server.test.ts' },
    'HTTP/2 floods': { kinds: 'D', test: 'test/unit/wire/server/http2/connection-work.test.ts' },
    'Silent connections': { kinds: 'D', test: 'test/unit/wire/server/connection-table.test.ts' },
    'Endless watches and calls': { kinds: 'D', test: 'test/unit/wire/server/http2/open-calls.test.ts' },
    'No answer from Postern': { kinds: 'D', test: 'test/e2e/chain/refusal.test.ts' },
    'Other certificates of the mesh': { kinds: 'E', test: 'test/conformance/grpc-transport-listener.test.ts' },
  },
  '(4)': {
    'A false database': { kinds: 'S', test: 'test/integration/mongodb/wrong-key-ring.test.ts' },
    'Edited documents, moved secrets': { kinds: 'T', test: 'test/integration/mongodb/faulty-records.test.ts' },
    'A compromised Postern': { kinds: 'TR', test: 'test/integration/mongodb/roles.test.ts' },
    'App Keys of method `key` in lists': { kinds: 'I', test: 'test/unit/resources/app-key-end.test.ts' },
    'Hashes of weak App Keys at the API': { kinds: 'I', test: 'test/unit/operators/api/commands-attacks.test.ts' },
    'Copies of the database': { kinds: 'I', test: 'test/unit/model/keyring/key-ring.test.ts' },
    'Secrets in kept [refusals](mongodb.md#refusals)': {
      kinds: 'I',
      test: 'test/unit/check/refusals/no-secrets.test.ts',
    },
    'Refusals at the admin listener': { kinds: 'I', test: 'test/unit/gateway/serving/refusals-page.test.ts' },
    'Secrets in logs, errors, metrics': { kinds: 'I', test: 'test/unit/model/secret.test.ts' },
    'Floods of refusals': { kinds: 'D', test: 'test/unit/check/refusals/refusal-writer.test.ts' },
    'Database down, slow or frozen': { kinds: 'D', test: 'test/integration/mongodb/outage.test.ts' },
    'Rate limit service down, slow or frozen': { kinds: 'D', test: 'test/integration/ratelimit/faults.test.ts' },
    "An issuer's host as a way into your network": {
      kinds: 'IE',
      test: 'test/integration/issuer-keys/hostile-hosts.test.ts',
    },
    'A slow, huge, false or silent host of keys': {
      kinds: 'SD',
      test: 'test/integration/issuer-keys/hostile-hosts.test.ts',
    },
    'A hostile rate limit service': { kinds: 'D', test: 'test/integration/ratelimit/hostile-service.test.ts' },
    'A rate limit service without the domain': { kinds: 'E', test: 'test/integration/ratelimit/doctor.test.ts' },
    'A revocation that a replica missed': { kinds: 'E', test: 'test/e2e/mongodb/replicas.test.ts' },
  },
  '(5)': {
    'Guessed, planted, copied or old sessions': {
      kinds: 'S',
      test: 'test/integration/management/sessions.test.ts',
    },
    'Forms of other sites': { kinds: 'S', test: 'test/unit/operators/console/frame/request-origin.test.ts' },
    'Memory used up by labels and texts': {
      kinds: 'D',
      test: 'test/integration/mongodb/bounds.test.ts',
    },
    'False OpenID Connect answers': { kinds: 'S', test: 'test/unit/operators/console/sign-in/openid-provider.test.ts' },
    'Foreign or old ID tokens': {
      kinds: 'S',
      test: 'test/unit/operators/console/sign-in/id-token.test.ts',
    },
    "Another person's device code": { kinds: 'S', test: 'test/integration/management/login.test.ts' },
    "Tokens in an operator's home": { kinds: 'SI', test: 'test/integration/management/login.test.ts' },
    "Changing what is another team's": {
      kinds: 'TE',
      test: 'test/unit/operators/api/way-to-change.test.ts',
    },
    'Regaining access by undoing': {
      kinds: 'E',
      test: 'test/unit/operators/api/other-teams.test.ts',
    },
    'Ids that another team had': { kinds: 'I', test: 'test/unit/operators/api/other-teams.test.ts' },
    'Probing what others have': { kinds: 'IR', test: 'test/unit/operators/api/other-teams.test.ts' },
    'Cursors that show what others did': { kinds: 'I', test: 'test/unit/operators/api/cursors.test.ts' },
    "Consumers labelled into others' groups": {
      kinds: 'E',
      test: 'test/unit/operators/api/bounds-and-labels.test.ts',
    },
    'Endpoints on paths of nobody': { kinds: 'E', test: 'test/unit/operators/api/bounds-and-labels.test.ts' },
    "Guessed operators' tokens": { kinds: 'S', test: 'test/integration/management/sign-in.test.ts' },
    'Foreign or ambiguous client certificates': {
      kinds: 'S',
      test: 'test/integration/management/client-certificates.test.ts',
    },
    'A wrong file or half a change': { kinds: 'T', test: 'test/integration/mongodb/apply.test.ts' },
    'Control characters': { kinds: 'T', test: 'test/unit/cli/hostile-arguments.test.ts' },
    'Unseen changes': { kinds: 'R', test: 'test/conformance/mongodb/resource-store.test.ts' },
    'Changes under another name': { kinds: 'R', test: null },
    'Secrets in `ps`, shell history, on screen': { kinds: 'I', test: 'test/unit/docs/operator-commands.test.ts' },
    'A private key sent to the operator': { kinds: 'I', test: 'test/integration/mongodb/public-keys.test.ts' },
    'Weak public keys': {
      kinds: 'S',
      test: 'test/unit/model/public-key/read-public-key.test.ts',
    },
    'Files built to exhaust the reader': { kinds: 'D', test: 'test/unit/resources/hostile-text.test.ts' },
    'Sign-in leading to another host': { kinds: 'E', test: 'test/unit/operators/console/sign-in/return-path.test.ts' },
    'Imports looser than the original': { kinds: 'E', test: 'test/unit/partners/import/kong/never-looser.test.ts' },
    'Endpoints opened by mistake': { kinds: 'E', test: 'test/unit/resources/faulty-documents.test.ts' },
    'Locking an operator out by her browser': {
      kinds: 'D',
      test: 'test/unit/operators/console/frame.test.ts',
    },
  },
};

/** Each other way into the management side that docs/threat-model.md names, and the test that shows its bounds. */
const ways: Readonly<Record<string, string>> = {
  'connections to the listener': 'test/integration/management/http-attacks.test.ts',
  'bytes that are no request': 'test/unit/operators/process/unread-requests.test.ts',
  '`/livez`, `/readyz`, `/openapi.json`, `/.well-known/oauth-protected-resource`':
    'test/unit/operators/api/request-shares.test.ts',
  '`x-envoy-external-address`': 'test/unit/operators/process/peers.test.ts',
  'sign-in with a token': 'test/integration/management/sign-in.test.ts',
  'sign-in at a provider': 'test/unit/operators/console/sign-in/openid-provider.test.ts',
  'sessions of commands': 'test/integration/management/login.test.ts',
  'routes of `/v1`': 'test/unit/operators/api/reach-of-routes.test.ts',
  'comparing and changing by commands': 'test/unit/operators/api/compared-secrets.test.ts',
  bodies: 'test/unit/operators/api/bodies.test.ts',
  'names, descriptions, labels, reasons': 'test/unit/model/document/unseen-texts.test.ts',
  'forms of the console': 'test/unit/operators/console/frame.test.ts',
  '`Idempotency-Key`': 'test/integration/management/once-requests.test.ts',
  'probes and metrics of `manage`': 'test/integration/management/admin-listener.test.ts',
};

/** What stops each threat, by border: `- **threat**: what stops it` below the heading of the border. */
function readThreats(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const threats: Record<string, Record<string, string>> = {};
  for (const section of readDocument('docs/threat-model.md').split('\n## ')) {
    const [, border] = /^(\(\d\)) /.exec(section) ?? [];
    if (border === undefined) continue;
    const items = [...section.matchAll(/^- \*\*(.+?)\*\*: ([^]+?)(?=\n- |\n\n|$)/gm)];
    threats[border] = Object.fromEntries(items.map(([, threat = '', stop = '']) => [threat, stop]));
  }
  return threats;
}

const namesOf = (borders: Readonly<Record<string, object>>): readonly string[] =>
  Object.entries(borders).flatMap(([border, threats]) => Object.keys(threats).map((threat) => `${border} ${threat}`));

describe('the threat model', () => {
  const threats = readThreats();

  it('looks at each border', () => {
    assert.deepEqual(Object.keys(threats), ['(1)', '(2)', '(3)', '(4)', '(5)']);
  });

  it('looks at each kind of threat of STRIDE, at the borders that attackers reach', () => {
    for (const border of ['(1)', '(4)']) {
      const kinds = Object.values(shown[border] ?? {})
        .map((each) => each.kinds)
        .join('');
      for (const kind of 'STRIDE') assert.ok(kinds.includes(kind), `${border} ${kind}`);
    }
  });

  it('has a test for each threat, and says so where nothing stops it', () => {
    assert.deepEqual([...namesOf(threats)].sort(), [...namesOf(shown)].sort());
    assert.ok(namesOf(threats).length > 40, 'the lists are no longer read');
    for (const [border, each] of Object.entries(shown)) {
      for (const [threat, { test }] of Object.entries(each)) {
        const stop = threats[border]?.[threat] ?? '';
        assert.equal(stop.startsWith('nothing'), test === null, threat);
        if (test !== null) assert.ok(existsSync(join(projectRoot, test)), test);
      }
    }
  });

  it('says for each method what a stolen database is worth', () => {
    const rows = readTable(readDocument('docs/threat-model.md'), 'Method').map(([methods = '']) => methods);
    for (const method of authenticationMethods)
      assert.ok(
        rows.some((methods) => methods.includes(method)),
        method,
      );
  });

  it('names who may use each way into the management side and what bounds it, which a test shows', () => {
    const [, rest = ''] = readDocument('docs/threat-model.md').split('\n## Ways into the management side\n');
    const [section = ''] = rest.split('\n## ');
    const items = [...section.matchAll(/^- \*\*(.+?)\*\*: ([^]+?); [^]+?(?=\n- |\n\n|$)/gm)].map(([, way = '']) => way);
    assert.deepEqual(items, Object.keys(ways));
    for (const [way, test] of Object.entries(ways)) assert.ok(existsSync(join(projectRoot, test)), `${way}: ${test}`);
  });
});
