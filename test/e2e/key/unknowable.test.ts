import assert from 'node:assert/strict';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
    authentication: key
  - id: limited
    scenario: partner-openapi
    match: { paths: [{ prefix: /limited }] }
    authentication: key
    accessCondition: authenticated-and-authorized
    trafficControl: { limits: [{ requests: 1, unit: day, per: endpoint }] }
consumers:
  - id: acme
    credentials:
      - { id: acme-active, method: key, appKey: key-active }
      - { id: acme-bounded, method: key, appKey: key-bounded, notBefore: 2020-01-01T00:00:00Z, expiresAt: 2199-01-01T00:00:00Z }
      - { id: acme-retiring, method: key, appKey: key-retiring, state: retiring, expiresAt: 2199-01-01T00:00:00Z }
      - { id: acme-shared, methods: [hmac, key], appKey: key-shared, appSecret: a-secret-of-sixteen-or-more }
      - { id: acme-retired, method: key, appKey: key-retired, state: retiring, expiresAt: 2020-01-01T00:00:00Z }
      - { id: acme-revoked, method: key, appKey: key-revoked, state: revoked }
      - { id: acme-expired, method: key, appKey: key-expired, expiresAt: 2020-01-01T00:00:00Z }
      - { id: acme-future, method: key, appKey: key-future, notBefore: 2199-01-01T00:00:00Z }
      - { id: acme-hmac, method: hmac, appKey: key-hmac, appSecret: a-secret-of-sixteen-or-more }
      - { id: acme-oauth2, method: oauth2, appKey: key-oauth2, appSecret: a-secret-of-sixteen-or-more }
      - { id: acme-sign, method: parameter-signature, appKey: key-sign, appSecret: a-secret-of-sixteen-or-more }
  - id: sleeping
    enabled: false
    credentials: [{ id: sleeping-key, method: key, appKey: key-sleeping }]
`;

const usable = ['active', 'bounded', 'retiring', 'shared'];

/** App Keys that cannot be used, and what the log, and it alone, says. */
const unusable: Readonly<Record<string, RegExp>> = {
  nobody: /^the App Key is unknown$/,
  retired: /acme-retired has expired$/,
  revoked: /acme-revoked is revoked/,
  expired: /acme-expired has expired$/,
  future: /acme-future is not valid yet$/,
  hmac: /acme-hmac is not for key/,
  oauth2: /acme-oauth2 is not for key/,
  sign: /acme-sign is not for key/,
  sleeping: /sleeping is disabled/,
};

describe('a credential', () => {
  const { stack, sendAllowed, sendRefused, logged } = useStack(document);

  for (const protocol of protocols) {
    for (const name of usable) {
      it(`is accepted while it is ${name}, over ${protocol}`, async () => {
        const forwarded = await sendAllowed(protocol, { target: `/orders?appKey=key-${name}` });
        assert.equal(fieldValue(forwarded.headers, 'x-credential-identifier'), `acme-${name}`);
      });
    }

    it(`that cannot be used is refused like an unknown one, whatever the reason, over ${protocol}`, async () => {
      const answers: ReturnType<typeof comparable>[] = [];
      for (const [name, detail] of Object.entries(unusable)) {
        for (const path of ['/orders', '/limited']) {
          const carriers = [
            { target: `${path}?appKey=key-${name}` },
            { target: path, headers: [['X-App-Key', `key-${name}`] as const] },
          ];
          for (const request of carriers) {
            const answer = await sendRefused(protocol, request, 'AUTHENTICATION_FAILED');
            const requestId = fieldValue(answer.headers, 'x-request-id');
            const line = await stack().postern.logLine((entry) => entry['requestId'] === requestId);
            assert.match(String(line['detail']), detail);
            // The log of Postern names them, that of Envoy and the answer do not.
            const holder = name === 'nobody' ? null : name === 'sleeping' ? 'sleeping-key' : `acme-${name}`;
            assert.equal(line['credential'], holder);
            assert.equal(line['consumer'], holder?.split('-')[0] ?? null);
            assert.equal((await logged(answer))['consumer'], null);
            answers.push(comparable(answer));
          }
        }
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
    });
  }

  it('that cannot be used is named by its id in the logs, never by its App Key', () => {
    const logs = stack().postern.output() + stack().envoy.output();
    assert.deepEqual(logs.match(new RegExp(`key-(${Object.keys(unusable).join('|')})`, 'g')), null);
  });
});

/** An answer without what differs from one request to the next. */
function comparable({ status, headers, body }: HttpAnswer): object {
  const requestId = fieldValue(headers, 'x-request-id') ?? '';
  return {
    status,
    headers: headers.filter(([name]) => !['date', 'x-request-id'].includes(name.toLowerCase())),
    body: body.toString().replaceAll(requestId, '(request id)'),
  };
}
