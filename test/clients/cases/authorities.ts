import assert from 'node:assert/strict';
import {
  type CallParts,
  type ClientParts,
  createClient,
  newMark,
  requestTo,
  type Subject,
} from '../../support/clients/calls.ts';
import { type ForwardProxy, startForwardProxy } from '../../support/clients/forward-proxy.ts';
import { type EndpointName } from '../../support/clients/partner-document.ts';
import { type ClientSettings, type Sent } from '../../support/clients/protocol.ts';

/** Ways to write an authority that a program may use; a library may write it in another way. */
const spellings = [
  ...['api.example.com', 'API.Example.COM', 'api.example.com.', 'api.example.com:80', 'api.example.com:080'],
  ...['api.example.com:8080', 'api.example.com:08080', 'api.example.com:', 'user:word@api.example.com'],
  ...['127.0.0.1', '127.1', '127.0.0.01', '0x7f.0.0.1', '2130706433', '017700000001', '127.0.0.1.'],
  ...['[::1]', '[::1]:80', '[0:0:0:0:0:0:0:1]', '[::FFFF:127.0.0.1]', 'api_1.example.com', 'xn--kln-sna.example.com'],
  ...['api%2eexample.com', 'köln.example.com', 'api.example.com:443'],
];

interface ProxiedCall extends CallParts {
  readonly by: ClientSettings['method'];
  readonly settings?: ClientParts;
  readonly endpoint: EndpointName;
}

const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const calls: Readonly<Record<string, ProxiedCall>> = {
  hmac: { by: 'hmac', endpoint: 'hmac', rest: '?a=%c3%bc' },
  'hmac with a body': { by: 'hmac', endpoint: 'hmac', method: 'POST', body: { text: 'x' } },
  key: { by: 'key', endpoint: 'key' },
  'key in the query': { by: 'key', endpoint: 'key', settings: { carrier: { query: 'appKey' } } },
  parameters: { by: 'parameter-signature', endpoint: 'parameters', rest: '?a=1' },
  'a form': {
    by: 'parameter-signature',
    endpoint: 'parameters',
    method: 'POST',
    headers: [form],
    body: { text: 'a=1' },
  },
  oauth2: { by: 'oauth2', endpoint: 'bearer' },
};

/** Signed as `host`, an authority is signed as it is sent, by itself or through a proxy, or not sent at all. */
export function authorityCases(subject: () => Subject): void {
  const assertSignedAsSent = (sent: Sent, wasSent: boolean): void => {
    if ('response' in sent) assert.deepEqual([sent.response.status, sent.refusal], [200, null]);
    else assert.ok(!wasSent, `it was sent: ${JSON.stringify(sent)}`);
    if ('problem' in sent) assert.match(sent.problem.code, /^(TARGET|HEADER)_NOT_SIGNABLE$/);
  };

  describe('through a forward proxy', () => {
    let proxy: ForwardProxy;
    before(async () => {
      proxy = await startForwardProxy(subject().gateway.plainPort);
    });
    after(() => proxy[Symbol.asyncDispose]());

    for (const [name, { by, settings = {}, endpoint, ...parts }] of Object.entries(calls)) {
      it(`a call is made as such a proxy takes it: ${name}`, async () => {
        const { driver, gateway, way } = subject();
        const tokenUrl = `${gateway.plainUrl}/oauth2/token`;
        const made = { ...settings, ...(by === 'oauth2' ? { tokenUrl } : {}), proxy: proxy.url, retries: 0 };
        const [mark, client] = [newMark(), await createClient(subject(), by, made)];
        const request = requestTo('http://api.example.com', endpoint, mark, parts);
        const sent = await driver.send(client, way, request);
        assert.ok('response' in sent, JSON.stringify(sent));
        assert.deepEqual([sent.response.status, sent.refusal], [200, null], JSON.stringify(sent));
        assert.equal(gateway.received(mark).length, 1);
        const [line = ''] = proxy.received(mark);
        // A tunnel to the gateway is right, too, and holds no mark.
        assert.ok(line === '' || line.includes(' http://api.example.com/'), line);
      });
    }

    for (const spelling of spellings) {
      it(`the authority is signed as it is sent, or refused: ${spelling}`, async () => {
        const { driver, way } = subject();
        const settings = { proxy: proxy.url, retries: 0, signedHeaders: ['host'] };
        const [mark, client] = [newMark(), await createClient(subject(), 'hmac', settings)];
        const url = `http://${spelling}/hmac/${mark}`;
        const sent = await driver.send(client, way, { method: 'GET', url, headers: [] });
        assertSignedAsSent(sent, proxy.received(mark).length > 0);
      });
    }
  });

  describe('without a proxy', () => {
    for (const host of ['127.0.0.1', 'LocalHost', '127.1', '0x7f.0.0.1', '2130706433', 'user@127.0.0.1']) {
      it(`the authority is signed as it is sent, or refused: ${host}`, async () => {
        const { driver, gateway, way } = subject();
        const [mark, client] = [
          newMark(),
          await createClient(subject(), 'hmac', { signedHeaders: ['host'], retries: 0 }),
        ];
        const url = `http://${host}:${String(gateway.plainPort)}/hmac/${mark}`;
        const sent = await driver.send(client, way, { method: 'GET', url, headers: [] });
        assertSignedAsSent(sent, (await gateway.decisions(mark)).length > 0);
      });
    }
  });
}
