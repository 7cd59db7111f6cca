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
import { type Language } from '../../support/clients/languages.ts';
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

type Method = ClientSettings['method'];

interface ProxiedCall extends CallParts {
  readonly by: Method;
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
const messageCalls: typeof calls = {
  'a message signature': { by: 'http-message-signature', endpoint: 'signed', rest: '?a=%c3%bc' },
  'a message signature with a body': {
    by: 'http-message-signature',
    endpoint: 'signed',
    method: 'POST',
    body: { text: 'x' },
  },
};

/** What signs an authority, with its endpoint. A message signature always does. */
const hosts = { hmac: { endpoint: 'hmac', settings: { signedHeaders: ['host'] } } } as const;
const messages = { 'http-message-signature': { endpoint: 'signed', settings: {} } } as const;
/** The gateway takes the port of https away, whatever the address begins with: the endpoint says what that is. */
const isOfAnotherScheme = (spelling: string): boolean => spelling.endsWith(':443');

/** An authority that is signed is signed as it is sent, by itself or through a proxy, or not sent at all. */
export function authorityCases(subject: () => Subject, { hasPrivateKeys }: Pick<Language, 'hasPrivateKeys'>): void {
  const signing = Object.entries({ ...hosts, ...(hasPrivateKeys === true ? messages : {}) });
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

    const known = { ...calls, ...(hasPrivateKeys === true ? messageCalls : {}) };
    for (const [name, { by, settings = {}, endpoint, ...parts }] of Object.entries(known)) {
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

    for (const [method, { endpoint, settings }] of signing) {
      for (const spelling of spellings) {
        if (endpoint === 'signed' && isOfAnotherScheme(spelling)) continue;
        it(`the authority is signed as it is sent, or refused, by ${method}: ${spelling}`, async () => {
          const { driver, way } = subject();
          const made = { ...settings, proxy: proxy.url, retries: 0 };
          const [mark, client] = [newMark(), await createClient(subject(), method as Method, made)];
          const url = `http://${spelling}/${endpoint}/${mark}`;
          const sent = await driver.send(client, way, { method: 'GET', url, headers: [] });
          assertSignedAsSent(sent, proxy.received(mark).length > 0);
        });
      }
    }
  });

  describe('without a proxy', () => {
    for (const [method, { endpoint, settings }] of signing) {
      for (const host of ['127.0.0.1', 'LocalHost', '127.1', '0x7f.0.0.1', '2130706433', 'user@127.0.0.1']) {
        it(`the authority is signed as it is sent, or refused, by ${method}: ${host}`, async () => {
          const { driver, gateway, way } = subject();
          const made = { ...settings, retries: 0 };
          const [mark, client] = [newMark(), await createClient(subject(), method as Method, made)];
          const url = `http://${host}:${String(gateway.plainPort)}/${endpoint}/${mark}`;
          const sent = await driver.send(client, way, { method: 'GET', url, headers: [] });
          assertSignedAsSent(sent, (await gateway.decisions(mark)).length > 0);
        });
      }
    }
  });
}
