import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { fieldValue, fieldValues } from '../../support/http/http-message.ts';
import { type RefusedCode } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: watched, scenario: partner-openapi, match: { paths: [{ prefix: /watched }] }, authentication: key, options: { mode: observe } }
  - { id: granted, scenario: partner-openapi, match: { paths: [{ prefix: /granted }] }, authentication: key, accessCondition: authenticated-and-authorized, options: { mode: observe } }
  - id: shown
    scenario: partner-openapi
    match: { paths: [{ prefix: /shown }] }
    authentication: key
    options: { mode: observe, hideCredentials: false }
  - id: limited-1
    scenario: partner-openapi
    match: { paths: [{ prefix: /limited-1 }] }
    authentication: key
    trafficControl: { limits: [{ requests: 1, unit: day, per: consumer }] }
    options: { mode: observe }
  - id: limited-2
    scenario: open
    match: { paths: [{ prefix: /limited-2 }] }
    trafficControl: { limits: [{ requests: 1, unit: day, per: endpoint }] }
    options: { mode: observe }
  - { id: sleeping, enabled: false, scenario: partner-openapi, match: { paths: [{ prefix: /sleeping }] }, authentication: key, options: { mode: observe } }
consumers:
  - { id: acme, name: Acme Ltd, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

interface Observed {
  readonly request: PlainRequest;
  /** What it would have been told. */
  readonly code: RefusedCode | 'ALLOWED';
  readonly consumer: string | null;
  /** What the back end must get as target. */
  readonly target: string;
}

const observed: Readonly<Record<string, Observed>> = {
  'no credentials': {
    request: { target: '/watched?a=%2f&&b' },
    code: 'CREDENTIALS_MISSING',
    consumer: null,
    target: '/watched?a=%2f&&b',
  },
  'an App Key without value': {
    request: { target: '/watched?appKey&a' },
    code: 'CREDENTIALS_MISSING',
    consumer: null,
    target: '/watched?a',
  },
  'an empty App Key': {
    request: { target: '/watched?appKey=', headers: [['X-App-Key', 'key-of-acme']] },
    code: 'CREDENTIALS_MALFORMED',
    consumer: null,
    target: '/watched',
  },
  'a repeated App Key': {
    request: { target: '/watched?appKey=key-of-acme&x=%2F&appKey=key-of-acme' },
    code: 'CREDENTIALS_MALFORMED',
    consumer: null,
    target: '/watched?x=%2F',
  },
  'a wrong App Key': {
    request: { target: '/watched?appKey=key-of-nobody', headers: [['X-App-Key', 'another']] },
    code: 'AUTHENTICATION_FAILED',
    consumer: null,
    target: '/watched',
  },
  'a wrong App Key that is not hidden': {
    request: { target: '/shown?appKey=key-of-nobody' },
    code: 'AUTHENTICATION_FAILED',
    consumer: null,
    target: '/shown?appKey=key-of-nobody',
  },
  'a consumer without a grant': {
    request: { target: '/granted?appKey=key-of-acme&a' },
    code: 'NOT_AUTHORIZED',
    consumer: 'acme',
    target: '/granted?a',
  },
  'nothing wrong': {
    request: { target: '/watched?appKey=key-of-acme&a' },
    code: 'ALLOWED',
    consumer: 'acme',
    target: '/watched?a',
  },
};

const refused: Readonly<Record<string, readonly [PlainRequest, RefusedCode]>> = {
  'a target that is not in normal form': [{ target: '/watched/../x?appKey=key-of-acme' }, 'PATH_NOT_NORMAL'],
  'an authority that is no host': [{ target: '/watched', host: 'a,b' }, 'MALFORMED_REQUEST'],
  'a disabled endpoint': [{ target: '/sleeping?appKey=key-of-acme' }, 'ENDPOINT_NOT_FOUND'],
  'a request without endpoint': [{ target: '/nothing?appKey=key-of-acme' }, 'ENDPOINT_NOT_FOUND'],
};

describe('mode: observe', () => {
  const { stack, send, sendRefused, logged } = useStack(document);

  for (const protocol of protocols) {
    for (const [kind, { request, code, consumer, target }] of Object.entries(observed)) {
      it(`lets through, and records: ${kind}, over ${protocol}`, async () => {
        for (const method of ['GET', 'POST']) {
          stack().backend.reset();
          const answer = await send(protocol, { ...request, method });
          assert.equal(answer.status, 200, answer.body.toString());
          const [forwarded] = stack().backend.requests;
          assert.ok(forwarded);
          assert.equal(forwarded.target, target);
          assert.deepEqual(fieldValues(forwarded.headers, 'x-app-key'), []);
          assert.deepEqual(
            ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'].map((name) =>
              fieldValue(forwarded.headers, name),
            ),
            consumer === null ? [null, null, null] : ['acme', 'Acme Ltd', 'acme-key'],
          );
          const entry = await logged(answer);
          assert.deepEqual([entry['code'], entry['consumer'], entry['status']], [code, consumer, 200]);
          if (code === 'ALLOWED') continue;
          const requestId = fieldValue(answer.headers, 'x-request-id');
          const line = await stack().postern.logLine((found) => found['requestId'] === requestId);
          assert.deepEqual([line['message'], line['code']], ['let through by observe mode', code]);
        }
      });
    }

    for (const [kind, [request, code]] of Object.entries(refused)) {
      it(`refuses all the same: ${kind}, over ${protocol}`, async () => {
        await sendRefused(protocol, request, code);
      });
    }
  }

  it('counts against limits, and says so, but lets through', async () => {
    for (const [target, codes] of [
      ['/limited-1?appKey=key-of-acme', ['ALLOWED', 'RATE_LIMITED', 'RATE_LIMITED']],
      ['/limited-2', ['ALLOWED', 'RATE_LIMITED', 'RATE_LIMITED']],
    ] as const) {
      for (const code of codes) {
        const answer = await send('HTTP/1.1', { target });
        assert.equal(answer.status, 200);
        assert.equal((await logged(answer))['code'], code);
        assert.equal(fieldValue(answer.headers, 'x-ratelimit-remaining'), '0');
      }
    }
  });

  it('is told in the metrics with the codes it would have had', async () => {
    const metrics = await stack().postern.metrics();
    for (const code of ['CREDENTIALS_MISSING', 'AUTHENTICATION_FAILED', 'CREDENTIALS_MALFORMED', 'ALLOWED']) {
      assert.match(
        metrics,
        new RegExp(`^postern_checks_total\\{endpoint="watched",authentication="key",code="${code}"\\} [1-9]`, 'm'),
      );
    }
  });
});
