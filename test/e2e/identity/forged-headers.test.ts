import assert from 'node:assert/strict';
import { connectionManager, type JsonObject } from '../../support/envoy/envoy-config.ts';
import { type PlainRequest, type Protocol, protocols } from '../../support/http/http-client.ts';
import { type Fields, fieldValues } from '../../support/http/http-message.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
    authentication: key
  - id: public
    scenario: open
    match: { paths: [{ prefix: /public }] }
  - id: observed
    scenario: partner-openapi
    match: { paths: [{ prefix: /observed }] }
    authentication: key
    accessCondition: authenticated-and-authorized
    options: { mode: observe }
consumers:
  - { id: acme, name: Acme Ltd, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

/** Spellings under which a back end might read an identity. */
const spellings = [
  'X-Consumer-Id',
  'x-consumer-id',
  'X-CONSUMER-ID',
  'X_Consumer_Id',
  'X-Consumer_Id',
  'x_consumer-id',
  'X-Consumer-Username',
  'X_CONSUMER_USERNAME',
  'X-Consumer-Custom-Id',
  'X_Consumer_Groups',
  'X-Consumer-',
  'X-Credential-Identifier',
  'x_credential_identifier',
  'X-Credential_Username',
  'X-Authenticated-Scope',
  'X_Authenticated-Userid',
  'X-AUTHENTICATED-GROUPS',
  'X-Anonymous-Consumer',
  'x_anonymous_consumer',
  'X-Anonymous_Consumer',
];

/** Names that only look alike, and belong to the caller and the back end. */
const others = [
  'X-Consumers',
  'X-Consumer',
  'My-X-Consumer-Id',
  'X-Credentials',
  'X-Anonymous-Consumers',
  'Consumer-Id',
];

const forged: Fields = spellings.flatMap((name) => [[name, 'root'] as const, [name, 'admin'] as const]);

const acme = [
  ['x-consumer-id', 'acme'],
  ['x-consumer-username', 'Acme Ltd'],
  ['x-credential-identifier', 'acme-key'],
];

/** Requests, and the identity that the back end must read. */
const requests: Readonly<Record<string, readonly [request: PlainRequest, identity: readonly (readonly string[])[]]>> = {
  'an authenticated request': [{ target: '/orders?appKey=key-of-acme' }, acme],
  'a request to an open endpoint': [{ target: '/public' }, []],
  'a request to an open endpoint with an App Key': [{ target: '/public?appKey=key-of-acme' }, []],
  'an observed request without credentials': [{ target: '/observed' }, []],
  'an observed request with a wrong App Key': [{ target: '/observed?appKey=key-of-nobody' }, []],
  'an observed request whose caller is known but not authorised': [{ target: '/observed?appKey=key-of-acme' }, acme],
};

const configurations: Readonly<Record<string, (config: JsonObject) => void>> = {
  'with the committed envoy.yaml': () => undefined,
  // Postern removes them itself, for an Envoy that was configured by hand.
  'without the early mutation of envoy.yaml': (config) => {
    delete connectionManager(config)['early_header_mutation_extensions'];
  },
};

for (const [configuration, edit] of Object.entries(configurations)) {
  describe(`identity headers, ${configuration},`, () => {
    const { sendAllowed } = useStack(document, { edit });

    async function identity(protocol: Protocol, request: PlainRequest): Promise<Fields> {
      const { headers } = await sendAllowed(protocol, request);
      const found = headers
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .filter(([name]) => /^x[-_](consumer|credential|authenticated|anonymous)[-_]/.test(name));
      return found.toSorted(([a], [b]) => (a < b ? -1 : 1)).filter(([name]) => name !== 'x-anonymous-consumers');
    }

    for (const protocol of protocols) {
      for (const [kind, [request, expected]] of Object.entries(requests)) {
        it(`are ours alone when a caller sends every spelling: ${kind}, over ${protocol}`, async () => {
          assert.deepEqual(await identity(protocol, { ...request, headers: forged }), expected);
        });

        it(`are ours alone when a caller sends none: ${kind}, over ${protocol}`, async () => {
          assert.deepEqual(await identity(protocol, request), expected);
        });
      }

      for (const name of spellings) {
        it(`are ours alone when a caller sends ${name} by itself, over ${protocol}`, async () => {
          const headers = [[name, 'root']] as const;
          assert.deepEqual(await identity(protocol, { target: '/orders?appKey=key-of-acme', headers }), acme);
        });
      }

      it(`do not take names away that only look alike, over ${protocol}`, async () => {
        const headers = others.map((name) => [name, 'mine'] as const);
        const forwarded = await sendAllowed(protocol, { target: '/public', headers });
        for (const name of others) assert.deepEqual(fieldValues(forwarded.headers, name), ['mine'], name);
      });
    }
  });
}
