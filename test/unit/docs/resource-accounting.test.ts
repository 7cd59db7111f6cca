import assert from 'node:assert/strict';
import {
  MAX_PEER_CERTIFICATE_CHARACTERS,
  MAX_PEER_CERTIFICATE_NAMES,
} from '../../../src/check/methods/certificate/peer-certificate.ts';
import { REMEMBERED_CERTIFICATES } from '../../../src/check/methods/certificate/peer-certificates.ts';
import { REMEMBERED_ISSUER_TOKENS } from '../../../src/check/methods/jwt/issuer-tokens.ts';
import { MAX_JWT_BYTES } from '../../../src/check/methods/jwt/read-token.ts';
import { REMEMBERED_ACCESS_TOKENS } from '../../../src/check/tokens/access-tokens.ts';
import { adminConnectionLimits } from '../../../src/gateway/serving/admin-server.ts';
import { MAX_ASSERTION_BYTES, MAX_ASSERTION_ID_BYTES } from '../../../src/gateway/oauth2/assertion/read-assertion.ts';
import { MAX_WAITING } from '../../../src/gateway/issuer-keys/fetched-issuer-keys.ts';
import { httpLimits } from '../../../src/gateway/serving/http-server.ts';
import { manageConnectionLimits } from '../../../src/operators/process/listener.ts';
import { MAX_CHANGES_BYTES } from '../../../src/operators/api/change-records.ts';
import { MAX_RUNNING } from '../../../src/operators/console/jobs/jobs.ts';
import { MAX_BODY_BYTES, MAX_HOLDING_ENDPOINTS } from '../../../src/operators/api/app.ts';
import { MAX_CURSOR_LENGTH } from '../../../src/operators/api/cursors.ts';
import { MAX_PAGE } from '../../../src/operators/api/request.ts';
import { MAX_ACCESS_TOKEN_CHARACTERS } from '../../../src/operators/api/sessions.ts';
import { MAX_PAGE_CHARACTERS } from '../../../src/operators/api/shapes.ts';
import { MAX_ID_CHARACTERS } from '../../../src/model/document/fields.ts';
import { MAX_COUNTERS as MAX_LIMIT_COUNTERS } from '../../../src/check/limit/in-process.ts';
import { MAX_REASON_LENGTH } from '../../../src/resources/changes/change.ts';
import { MAX_HMAC_BODY_BYTES } from '../../../src/check/methods/hmac/signature.ts';
import { MAX_COMPONENTS, MAX_SIGNATURES } from '../../../src/check/methods/http-message-signature/message-signature.ts';
import { MAX_SIGNED_BODY_BYTES } from '../../../src/check/methods/http-message-signature/read-signature.ts';
import { MAX_FORM_BODY_BYTES, MAX_JSON_BODY_BYTES } from '../../../src/check/methods/parameter-signature/body-form.ts';
import { MAX_PARAMETERS } from '../../../src/check/methods/parameter-signature/parameters.ts';
import { MAX_AUTHORITIES } from '../../../src/model/certificate-identity.ts';
import { MAX_CLAIMS } from '../../../src/model/derived-app-key.ts';
import { MAX_APP_KEY_CHARACTERS } from '../../../src/model/app-key.ts';
import { MAX_PUBLIC_KEY_CHARACTERS } from '../../../src/model/public-key/read-public-key.ts';
import {
  MAX_ALLOWED_NETWORKS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_ENDPOINTS,
  MAX_ENDPOINTS_BYTES,
  MAX_GRANT_HOLDER_CHARACTERS,
  MAX_GROUP_GRANTS,
  MAX_GROUP_GRANTS_OF_ENDPOINT,
  MAX_HOST_CHARACTERS,
  MAX_HOSTS,
  MAX_KEY_NAME_CHARACTERS,
  MAX_COVERED_COMPONENT_CHARACTERS,
  MAX_COVERED_COMPONENTS,
  MAX_KEY_NAMES,
  MAX_SIGNATURE_TAG_CHARACTERS,
  MAX_LABEL_CHARACTERS,
  MAX_LABELS,
  MAX_METHOD_CHARACTERS,
  MAX_METHODS,
  MAX_NAME_CHARACTERS,
  MAX_OPERATOR_BOUNDS,
  MAX_PATH_CHARACTERS,
  MAX_PATH_SEGMENTS,
  MAX_PATHS,
  MAX_PLAN_ENDPOINTS,
  MAX_AUDIENCES,
  MAX_CLAIM_NAMES_OF_ISSUER,
  MAX_CLAIM_VALUES,
  MAX_ISSUER_CHARACTERS,
  MAX_ISSUER_KEYS,
  MAX_ISSUERS,
  MAX_JWKS_BYTES,
  MAX_JWKS_URI_CHARACTERS,
  MAX_KEY_ID_CHARACTERS,
  MAX_REQUIRED_CLAIMS,
  MAX_PLANS,
} from '../../../src/model/bounds.ts';
import { limitScopes, limitUnits } from '../../../src/model/limit.ts';
import { MAX_IDENTITIES, MAX_IDENTITY_LENGTH, MAX_TOKENS } from '../../../src/model/operator.ts';
import { MAX_DETAIL_LENGTH, MAX_METHOD_LENGTH, MAX_PATH_LENGTH } from '../../../src/check/refusals/describe-refusal.ts';
import { MAX_REMEMBERED } from '../../../src/check/replay/in-process.ts';
import { MAX_APP_SECRET_CHARACTERS } from '../../../src/resources/app-secret.ts';
import { MAX_UNKNOWN } from '../../../src/stores/cache/unknown-app-keys.ts';
import { MAX_PROBES } from '../../../src/check/route/taken-requests.ts';
import { BYTES_PER_ENTRY } from '../../../src/stores/credential-cache.ts';
import { MAX_UNDER_WAY } from '../../../src/stores/mongodb/mongo-replay-guard.ts';
import { MAX_COUNTERS as MAX_REQUEST_COUNTERS } from '../../../src/stores/traffic/traffic-recorder.ts';
import { MAX_KEPT } from '../../../src/stores/usage-recorder.ts';
import { MAX_RECORDS, throttleLimits } from '../../../src/base/throttle.ts';
import { revocationBounds } from '../../../src/check/tokens/revoked-tokens.ts';
import { clientLimits } from '../../../src/wire/grpc-client/client-limits.ts';
import { HEADER_TABLE_BYTES } from '../../../src/wire/http2/header-frames.ts';
import { defaultLimits } from '../../../src/wire/server/http2/limits.ts';
import {
  LARGE_GROWTH,
  MIN_HELD_BYTES,
  MIN_PART_BYTES,
  SMALL_GROWTH,
} from '../../../src/wire/server/http2/message-memory.ts';
import { LONGEST_TRACE_PARENT, MAX_HEADER_LIST_BYTES } from '../../../src/wire/server/http2/request-head.ts';
import { REMEMBERED } from '../../../src/wire/server/http2/stream-table.ts';
import { grpcConnectionLimits } from '../../../src/wire/server/transport.ts';
import { readDocument } from '../../support/docs/documents.ts';
import { MAX_WEIGHED } from '../../../src/gateway/observe/consumer-figures.ts';

const PAGE = 'docs/resource-accounting.md';

/** By what holds or sends it: what it has, and the most of it. */
type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What operators can fill, as the page calls it, and the number that is in force. */
const filledByOperators: Rows = {
  'any resource': {
    id: `${String(MAX_ID_CHARACTERS)} characters`,
    'labels, also of a selector': String(MAX_LABELS),
    'name or value of a label': `${String(MAX_LABEL_CHARACTERS)} characters`,
    description: `${String(MAX_DESCRIPTION_CHARACTERS)} characters`,
    'name of a consumer or operator': `${String(MAX_NAME_CHARACTERS)} characters`,
  },
  endpoint: {
    hosts: String(MAX_HOSTS),
    'a host': `${String(MAX_HOST_CHARACTERS)} characters`,
    paths: String(MAX_PATHS),
    'a path': `${String(MAX_PATH_CHARACTERS)} characters`,
    methods: String(MAX_METHODS),
    'a method': `${String(MAX_METHOD_CHARACTERS)} characters`,
    limits: String(limitUnits.length * limitScopes.length),
  },
  'its options': {
    '`keyNames`': String(MAX_KEY_NAMES),
    'a key name': `${String(MAX_KEY_NAME_CHARACTERS)} characters`,
    '`coverAlso`': String(MAX_COVERED_COMPONENTS),
    'a component': `${String(MAX_COVERED_COMPONENT_CHARACTERS)} characters`,
    '`tag`': `${String(MAX_SIGNATURE_TAG_CHARACTERS)} characters`,
  },
  'all endpoints': {
    number: String(MAX_ENDPOINTS),
    size: describeNumber('bytes', MAX_ENDPOINTS_BYTES),
    'path segments for each host': String(MAX_PATH_SEGMENTS),
  },
  'consumer or credential': {
    'networks of an `allowFrom`': String(MAX_ALLOWED_NETWORKS),
    'App Key': `${String(MAX_APP_KEY_CHARACTERS)} characters`,
    'App Secret': `${String(MAX_APP_SECRET_CHARACTERS)} characters`,
    'text with a public key': `${String(MAX_PUBLIC_KEY_CHARACTERS)} characters`,
    claims: String(MAX_CLAIMS),
    'authorities of a certificate': String(MAX_AUTHORITIES),
  },
  grant: {
    limits: String(limitUnits.length),
    'labels of a group, percent-encoded': `${String(MAX_GRANT_HOLDER_CHARACTERS)} characters`,
    'grants for groups on an endpoint': String(MAX_GROUP_GRANTS_OF_ENDPOINT),
    'in all': String(MAX_GROUP_GRANTS),
  },
  plan: {
    number: String(MAX_PLANS),
    'endpoints in its list': String(MAX_PLAN_ENDPOINTS),
    limits: String(limitUnits.length),
  },
  issuer: {
    number: String(MAX_ISSUERS),
    keys: String(MAX_ISSUER_KEYS),
    'a set of keys': describeNumber('bytes', MAX_JWKS_BYTES),
    '`kid`': `${String(MAX_KEY_ID_CHARACTERS)} characters`,
    '`issuer`, or an audience': `${String(MAX_ISSUER_CHARACTERS)} characters`,
    audiences: String(MAX_AUDIENCES),
    '`jwksUri`': `${String(MAX_JWKS_URI_CHARACTERS)} characters`,
    'required claims': String(MAX_REQUIRED_CLAIMS),
    'values of one': String(MAX_CLAIM_VALUES),
    'sets of claim names of its credentials': String(MAX_CLAIM_NAMES_OF_ISSUER),
  },
  operator: {
    tokens: String(MAX_TOKENS),
    'certificate names, or subjects': String(MAX_IDENTITIES),
    'one of them': `${String(MAX_IDENTITY_LENGTH)} characters`,
    hosts: String(MAX_OPERATOR_BOUNDS),
    'path prefixes': String(MAX_OPERATOR_BOUNDS),
    'attempts kept in a minute': String(throttleLimits.failuresPerClient),
  },
  'audit event or kept refusal': {
    owners: String(MAX_LABELS),
    reason: `${String(MAX_REASON_LENGTH)} characters`,
  },
  'management API': {
    'a body': describeNumber('bytes', MAX_BODY_BYTES),
    'one with changes of a command': describeNumber('bytes', MAX_CHANGES_BYTES),
    'running jobs of an operator': String(MAX_RUNNING),
    'an access token beside an ID token': `${String(MAX_ACCESS_TOKEN_CHARACTERS)} characters`,
    'items of a page': String(MAX_PAGE),
    'a cursor': `${String(MAX_CURSOR_LENGTH)} characters`,
    'a page, and one item whatever it has': describeNumber('bytes', MAX_PAGE_CHARACTERS),
    'requests that hold all endpoints at once': String(MAX_HOLDING_ENDPOINTS),
    'requests compared for what a change takes from others': String(MAX_PROBES),
  },
};

const filledByPartners: Rows = {
  request: {
    'header fields': describeNumber('bytes', MAX_HEADER_LIST_BYTES),
    'App Key': `${String(MAX_APP_KEY_CHARACTERS)} characters`,
  },
  hmac: {
    'a body': describeNumber('bytes', MAX_HMAC_BODY_BYTES),
  },
  'http-message-signature': {
    'a body': describeNumber('bytes', MAX_SIGNED_BODY_BYTES),
    signatures: String(MAX_SIGNATURES),
    'components of one': String(MAX_COMPONENTS),
  },
  'parameter-signature': {
    'a form': describeNumber('bytes', MAX_FORM_BODY_BYTES),
    JSON: describeNumber('bytes', MAX_JSON_BODY_BYTES),
    parameters: String(MAX_PARAMETERS),
  },
  'OAuth2 listener': {
    'a body': describeNumber('bytes', httpLimits.maxBodyBytes),
    'a client assertion': describeNumber('bytes', MAX_ASSERTION_BYTES),
    'its `jti`': `${String(MAX_ASSERTION_ID_BYTES)} bytes`,
  },
  'jwt and certificate': {
    'a token': describeNumber('bytes', MAX_JWT_BYTES),
    'checks that wait for keys': String(MAX_WAITING),
    'a certificate': describeNumber('bytes', MAX_PEER_CERTIFICATE_CHARACTERS),
    'names of one': String(MAX_PEER_CERTIFICATE_NAMES),
  },
  remembered: {
    'access tokens': String(2 * REMEMBERED_ACCESS_TOKENS),
    'tokens of issuers': String(2 * REMEMBERED_ISSUER_TOKENS),
    'client certificates': String(2 * REMEMBERED_CERTIFICATES),
    'App Keys without a holder': String(MAX_UNKNOWN),
    'a cached credential, on average': describeNumber('bytes', BYTES_PER_ENTRY),
  },
  'used signatures and assertions': {
    'in process': String(MAX_REMEMBERED),
    'being written, with MongoDB': String(MAX_UNDER_WAY),
  },
  'revoked access tokens': {
    'in all': String(revocationBounds.tokens),
    'of a credential': String(revocationBounds.perCredential),
  },
  counters: {
    'of limits, in process': String(MAX_LIMIT_COUNTERS),
    'of token requests, and of failures': String(MAX_RECORDS),
    'of requests': String(MAX_REQUEST_COUNTERS),
    'times of last use': String(MAX_KEPT),
    'consumers weighed for [metrics](metrics-and-logs.md#metrics-by-consumer)': String(MAX_WEIGHED),
  },
  'kept refusal': {
    method: `${String(MAX_METHOD_LENGTH)} characters`,
    path: `${String(MAX_PATH_LENGTH)} characters`,
    reason: `${String(MAX_DETAIL_LENGTH)} characters`,
  },
};

/** What the list below a heading says: `- whose: what most; what most`. A comma before the number belongs to no name. */
function readRows(heading: string): Rows {
  const [, rest = ''] = readDocument(PAGE).split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  const items = [...section.matchAll(/^- (.+?): ([^]+?)(?=\n- |\n\n)/gm)];
  return Object.fromEntries(
    items.map(([, whose = '', bounds = '']) => [
      whose,
      Object.fromEntries(
        bounds
          .replaceAll(/\s+/g, ' ')
          .split('; ')
          .map((bound) => {
            const [, what = '', most = ''] = /^(.+?),? (\d+(?: (?:characters|bytes|KiB|MiB))?)$/.exec(bound) ?? [];
            return [what, most];
          }),
      ),
    ]),
  );
}

/** Every bound that the page has to name. A new one is added here, or to the limits of the transport. */
const bounds: Readonly<Record<string, number | { serverBytes: number; connectionBytes: number }>> = {
  ...defaultLimits,
  MAX_HEADER_LIST_BYTES,
  LONGEST_TRACE_PARENT,
  HEADER_TABLE_BYTES,
  REMEMBERED,
  MIN_PART_BYTES,
  MIN_HELD_BYTES,
  SMALL_GROWTH,
  LARGE_GROWTH,
  grpcConnections: grpcConnectionLimits.maxConnections,
  grpcOfAddress: grpcConnectionLimits.maxOfAddress,
  oauth2Connections: httpLimits.maxConnections,
  oauth2OfAddress: httpLimits.maxOfAddress,
  adminConnections: adminConnectionLimits.maxConnections,
  adminOfAddress: adminConnectionLimits.maxOfAddress,
  manageConnections: manageConnectionLimits.maxConnections,
  manageOfAddress: manageConnectionLimits.maxOfAddress,
};

/** The bounds below a heading: `- BOUND NUMBER, BOUND NUMBER: what is bounded`. */
function readBounds(heading: string): readonly (readonly [name: string, number: string])[] {
  const [, rest = ''] = readDocument(PAGE).split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  return [...section.matchAll(/^- (`[^:]+): (.+)$/gm)].flatMap(([, bounds = '', what = '']) => {
    assert.notEqual(what.trim(), '', bounds);
    return Array.from(
      bounds.matchAll(/`(\w+)` ([^`]+?)(?=, `|$)/g),
      ([, name = '', number = '']) => [name, number] as const,
    );
  });
}

function describeNumber(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${String(value / 1000)} s`;
  if (!/bytes|pool/i.test(name) || name === 'bytesPerWindowStep' || value < 1024) return String(value);
  return value % 2 ** 20 === 0 ? `${String(value / 2 ** 20)} MiB` : `${String(value / 1024)} KiB`;
}

describe('the resource accounting', () => {
  it('has every bound, with the number that is in force and what it bounds', () => {
    const shown = [...readBounds('What can be held'), ...readBounds('What can be computed')].map(([name, number]) => [
      name,
      number.replace(' in all', ''),
    ]);
    const inForce = Object.entries(bounds).map(([name, value]) => {
      const numbers = typeof value === 'number' ? [value] : [value.connectionBytes, value.serverBytes];
      return [name, numbers.map((number) => describeNumber(name, number)).join(', ')];
    });
    assert.deepEqual(shown.toSorted(), inForce.toSorted());
  });

  it('gives one connection at most a quarter of what all may hold', () => {
    for (const [name, value] of Object.entries(bounds)) {
      if (typeof value !== 'number') assert.ok(value.connectionBytes * 4 <= value.serverBytes, name);
    }
  });

  it('has what operators and partners can fill, with the numbers that are in force', () => {
    assert.deepEqual(readRows('What operators fill'), filledByOperators);
    assert.deepEqual(readRows('What partners fill'), filledByPartners);
  });

  it('has every bound of the client, with the number that is in force', () => {
    const shown = readBounds('The client of the rate limit service');
    const inForce = Object.entries({ ...clientLimits }).map(([name, value]) => [name, describeNumber(name, value)]);
    assert.deepEqual(shown.toSorted(), inForce.toSorted());
  });
});
