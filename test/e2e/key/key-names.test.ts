import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { fieldValue, fieldValues } from '../../support/http/http-message.ts';
import { type RefusedCode } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - id: header-first
    scenario: partner-openapi
    match: { paths: [{ prefix: /header-first }] }
    authentication: key
    options: { keyNames: [{ header: X-Api-Token }, { query: token }, { header: Authorization }] }
  - id: query-only
    scenario: partner-openapi
    match: { paths: [{ prefix: /query-only }] }
    authentication: key
    options: { keyNames: [{ query: "app key" }, { query: "schlüssel" }, { query: "a&b=c" }] }
  - id: header-only
    scenario: partner-openapi
    match: { paths: [{ prefix: /header-only }] }
    authentication: key
    options: { keyNames: [{ header: X_Api_Key }] }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
  - { id: beta, credentials: [{ id: beta-key, method: key, appKey: key-of-beta }] }
`;

interface Accepted {
  readonly request: PlainRequest;
  readonly credential: string;
  /** What the back end must get as target. */
  readonly target: string;
}

const acme = 'key-of-acme';
const beta = 'key-of-beta';

const accepted: Readonly<Record<string, Accepted>> = {
  'the first in the list, a header, before the second, a query': {
    request: { target: `/header-first?token=${beta}&x=1`, headers: [['X-Api-Token', acme]] },
    credential: 'acme-key',
    target: '/header-first?x=1',
  },
  'the second when the first is absent': {
    request: { target: `/header-first?token=${beta}`, headers: [['Authorization', acme]] },
    credential: 'beta-key',
    target: '/header-first',
  },
  'the third when the others are absent': {
    request: { target: '/header-first?token&x', headers: [['Authorization', acme]] },
    credential: 'acme-key',
    target: '/header-first?x',
  },
  'a first one though a later one stands twice': {
    request: { target: '/header-first?token=a&token=b', headers: [['X-Api-Token', acme]] },
    credential: 'acme-key',
    target: '/header-first',
  },
  'and leaves the default names alone': {
    request: {
      target: `/header-first?appKey=x`,
      headers: [
        ['X-Api-Token', acme],
        ['X-App-Key', 'y'],
      ],
    },
    credential: 'acme-key',
    target: '/header-first?appKey=x',
  },
  'a name with a blank, as "+"': {
    request: { target: `/query-only?app+key=${acme}&a+b` },
    credential: 'acme-key',
    target: '/query-only?a+b',
  },
  'a name with a blank, as "%20"': {
    request: { target: `/query-only?app%20key=${acme}` },
    credential: 'acme-key',
    target: '/query-only',
  },
  'a name that is not ASCII': {
    request: { target: `/query-only?schl%C3%BCssel=${acme}&schl%FCssel` },
    credential: 'acme-key',
    target: '/query-only?schl%FCssel',
  },
  'a name with separators, encoded': {
    request: { target: `/query-only?a%26b%3dc=${acme}&a&b=c` },
    credential: 'acme-key',
    target: '/query-only?a&b=c',
  },
  'a header name with "_"': {
    request: { target: '/header-only', headers: [['x_API_key', acme]] },
    credential: 'acme-key',
    target: '/header-only',
  },
};

const refused: Readonly<Record<string, readonly [PlainRequest, RefusedCode]>> = {
  'a wrong first one, though the later ones are right': [
    {
      target: `/header-first?token=${acme}`,
      headers: [
        ['X-Api-Token', 'key-of-nobody'],
        ['Authorization', acme],
      ],
    },
    'AUTHENTICATION_FAILED',
  ],
  'an empty first one, though a later one is right': [
    { target: `/header-first?token=${acme}`, headers: [['X-Api-Token', '']] },
    'CREDENTIALS_MALFORMED',
  ],
  'a first one that stands twice, though a later one is right': [
    {
      target: `/header-first?token=${acme}`,
      headers: [
        ['X-Api-Token', acme],
        ['X-Api-Token', acme],
      ],
    },
    'CREDENTIALS_MALFORMED',
  ],
  'the default query name, which is not in the list': [
    { target: `/header-first?appKey=${acme}`, headers: [['X-App-Key', acme]] },
    'CREDENTIALS_MISSING',
  ],
  'a query name that is only in a header': [
    { target: '/header-first', headers: [['Token', acme]] },
    'CREDENTIALS_MISSING',
  ],
  'a header name that is only in the query': [{ target: `/header-only?X_Api_Key=${acme}` }, 'CREDENTIALS_MISSING'],
  'a header with "-" for "_"': [{ target: '/header-only', headers: [['X-Api-Key', acme]] }, 'CREDENTIALS_MISSING'],
  'a raw "&" in a name': [{ target: `/query-only?a&b=c=${acme}` }, 'CREDENTIALS_MISSING'],
};

describe('options.keyNames', () => {
  const { sendAllowed, sendRefused } = useStack(document, 'shared');

  for (const protocol of protocols) {
    for (const [kind, { request, credential, target }] of Object.entries(accepted)) {
      it(`takes ${kind}, over ${protocol}`, async () => {
        const forwarded = await sendAllowed(protocol, request);
        assert.equal(fieldValue(forwarded.headers, 'x-credential-identifier'), credential);
        assert.equal(forwarded.target, target);
        for (const name of ['x-api-token', 'authorization', 'x_api_key']) {
          assert.deepEqual(fieldValues(forwarded.headers, name), []);
        }
      });
    }

    for (const [kind, [request, code]] of Object.entries(refused)) {
      it(`refuses ${kind}, over ${protocol}: ${code}`, async () => {
        await sendRefused(protocol, request, code);
      });
    }

    it(`leaves headers alone that are no carrier here, over ${protocol}`, async () => {
      const forwarded = await sendAllowed(protocol, {
        target: '/header-first',
        headers: [
          ['X-Api-Token', acme],
          ['X-App-Key', 'of the back end'],
        ],
      });
      assert.deepEqual(fieldValues(forwarded.headers, 'x-app-key'), ['of the back end']);
    });
  }
});
