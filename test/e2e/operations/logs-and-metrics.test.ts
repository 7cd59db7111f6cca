import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
  - { id: granted, scenario: partner-openapi, match: { paths: [{ prefix: /granted }] }, authentication: key, accessCondition: authenticated-and-authorized }
  - { id: public, scenario: open, match: { paths: [{ prefix: /public }] } }
consumers:
  - { id: acme, name: Acme Ltd, credentials: [{ id: acme-key, method: key, appKey: secret-of-acme }] }
`;

/** Requests with everything that must not be seen: App Keys right, wrong and misplaced, a query, a header and a body. */
const hidden = 'q=hidden-query';
const headers = [
  ['X-Api-Secret', 'hidden-header'],
  ['Cookie', 'hidden-cookie'],
] as const;
interface Told {
  readonly request: PlainRequest;
  readonly status: number;
  /** Of the access log: endpoint, consumer, authentication, code. */
  readonly entry: readonly (string | null)[];
}
const told: Readonly<Record<string, Told>> = {
  'an allowed request': {
    request: { target: `/orders/1?${hidden}&appKey=secret-of-acme` },
    status: 200,
    entry: ['orders', 'acme', 'key', 'ALLOWED'],
  },
  'an allowed request with a header': {
    request: { target: `/orders/1?${hidden}`, headers: [['X-App-Key', 'secret-of-acme']] },
    status: 200,
    entry: ['orders', 'acme', 'key', 'ALLOWED'],
  },
  'an open request': {
    request: { target: `/public?${hidden}&appKey=secret-of-acme` },
    status: 200,
    entry: ['public', null, null, 'ALLOWED'],
  },
  'a wrong App Key': {
    request: { target: `/orders/1?${hidden}&appKey=secret-of-nobody` },
    status: 401,
    entry: ['orders', null, 'key', 'AUTHENTICATION_FAILED'],
  },
  'a repeated App Key': {
    request: { target: `/orders/1?appKey=secret-of-acme&appKey=secret-of-acme` },
    status: 401,
    entry: ['orders', null, 'key', 'CREDENTIALS_MALFORMED'],
  },
  'a consumer without grant': {
    request: { target: `/granted?${hidden}&appKey=secret-of-acme` },
    status: 403,
    entry: ['granted', 'acme', 'key', 'NOT_AUTHORIZED'],
  },
  'a request without endpoint': {
    request: { target: `/nothing?${hidden}&appKey=secret-of-acme` },
    status: 404,
    entry: [null, null, null, 'ENDPOINT_NOT_FOUND'],
  },
  'a target that is not in normal form': {
    request: { target: `/orders//1?${hidden}&appKey=secret-of-acme` },
    status: 400,
    entry: [null, null, null, 'PATH_NOT_NORMAL'],
  },
};

for (const level of ['info', 'debug'] as const) {
  describe(`logs at level ${level}, and metrics,`, () => {
    const { stack, send, logged } = useStack(document, { settings: { POSTERN_LOG_LEVEL: level } });

    async function count(endpoint: string | null, authentication: string | null, code: string): Promise<number> {
      const labels = `endpoint="${endpoint ?? ''}",authentication="${authentication ?? ''}",code="${code}"`;
      const lines = (await stack().postern.metrics()).split('\n');
      const line = lines.find((each) => each.startsWith(`postern_checks_total{${labels}} `));
      return Number(line?.split(' ').at(-1) ?? 0);
    }

    async function observed(answer: HttpAnswer): Promise<Readonly<Record<string, unknown>>> {
      const requestId = fieldValue(answer.headers, 'x-request-id');
      return await stack().postern.logLine((line) => line['requestId'] === requestId);
    }

    for (const protocol of protocols) {
      for (const [kind, { request, status, entry }] of Object.entries(told)) {
        it(`tell who called what, and how it ended: ${kind}, over ${protocol}`, async () => {
          const [endpoint = null, consumer = null, authentication = null, code = null] = entry;
          assert.ok(code);
          const before = await count(endpoint, authentication, code);
          const answer = await send(protocol, {
            method: 'POST',
            body: 'hidden-body',
            ...request,
            headers: [...(request.headers ?? []), ...headers],
          });
          assert.equal(answer.status, status);
          const path = (request.target ?? '').split('?')[0] ?? '';
          const fields = await logged(answer);
          assert.deepEqual(
            ['endpoint', 'consumer', 'authentication', 'code', 'request', 'status'].map((name) => fields[name]),
            [...entry, `POST ${path}`, status],
          );
          assert.equal(await count(endpoint, authentication, code), before + 1);
          if (status === 200 && level === 'info') return;
          const line = await observed(answer);
          assert.deepEqual(
            ['endpoint', 'consumer', 'request'].map((name) => line[name]),
            [endpoint, consumer, `POST ${path}`],
          );
          assert.equal(line['level'], status === 200 ? 'debug' : 'info');
        });
      }
    }

    it('hold no App Key, query, header or body, at Envoy or at Postern', async () => {
      const all = stack().postern.output() + stack().envoy.output() + (await stack().postern.metrics());
      assert.deepEqual(all.match(/secret-of-\w+|hidden-\w+|q=/g), null);
    });

    it('tell of nobody in the metrics', async () => {
      const metrics = await stack().postern.metrics();
      assert.doesNotMatch(metrics, /acme/i);
      assert.match(metrics, /^postern_check_duration_seconds_count [1-9]/m);
      assert.match(metrics, /^postern_snapshot_age_seconds \d/m);
      assert.match(metrics, /^process_cpu_seconds_total /m);
    });

    if (level === 'info') {
      it('do not tell of allowed requests line by line', () => {
        assert.deepEqual(
          stack()
            .postern.logs()
            .filter((line) => line['message'] === 'allowed'),
          [],
        );
      });
    }
  });
}

describe('the admin listener', () => {
  const { stack } = useStack(document);

  it('says that the process lives and takes requests, and nothing else', async () => {
    const admin = async (path: string, method = 'GET'): Promise<readonly [number, string]> => {
      const answer = await fetch(`http://127.0.0.1:${String(stack().postern.adminPort)}${path}`, { method });
      return [answer.status, await answer.text()];
    };
    assert.deepEqual(await admin('/livez'), [200, 'ok\n']);
    const [status, text] = await admin('/readyz');
    assert.equal(status, 200);
    assert.match(text, /^ready\nrevision [\da-f]{12}\n$/);
    assert.deepEqual(await admin('/readyz', 'HEAD'), [200, '']);
    assert.deepEqual(await admin('/config'), [404, 'there are /livez, /readyz and /metrics\n']);
    assert.deepEqual(await admin('/readyz', 'POST'), [405, 'only GET and HEAD\n']);
  });
});
