import assert from 'node:assert/strict';
import type { Explanation } from '../../../../../src/partners/explain/explanation.ts';
import type { KeyOptions } from '../../../../../src/model/endpoint.ts';
import type { ClientHeader } from '../../../../../src/check/signing/client-request.ts';
import { explainAlone, input, keyEndpoint } from '../../../partners/explain/endpoints.ts';

const key = '8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e';

interface Sent {
  readonly query?: string;
  readonly headers?: readonly ClientHeader[];
  readonly body?: string;
  readonly options?: Partial<KeyOptions>;
  readonly key?: string;
}

function explainSent(sent: Sent): Promise<Explanation> {
  return explainAlone(
    {
      method: 'GET',
      path: sent.query === undefined ? '/orders' : `/orders?${sent.query}`,
      authority: 'api.example.com',
      headers: sent.headers ?? [],
      body: Buffer.from(sent.body ?? ''),
    },
    keyEndpoint(sent.options),
    { ...input, appKey: null, secret: sent.key ?? key },
  );
}

const header = (value: string): Sent => ({ headers: [['X-App-Key', value]] });

const mistakes: Readonly<Record<string, readonly (readonly [Sent, string, RegExp])[]>> = {
  'key-missing': [[{}, 'CREDENTIALS_MISSING', /as the query parameter appKey or the header X-App-Key/]],
  'key-without-value': [[{ query: 'appKey' }, 'CREDENTIALS_MISSING', /Send the App Key/]],
  'key-name-case': [
    [{ query: `appkey=${key}` }, 'CREDENTIALS_MISSING', /Send the App Key/],
    [{ query: `app_key=${key}` }, 'CREDENTIALS_MISSING', /Send the App Key/],
  ],
  'key-in-query': [[{ query: `X-App-Key=${key}` }, 'CREDENTIALS_MISSING', /Send the App Key/]],
  'key-header-name': [
    [{ headers: [['appKey', key]] }, 'CREDENTIALS_MISSING', /Send the App Key/],
    [{ headers: [['X-API-Key', key]] }, 'CREDENTIALS_MISSING', /Send the App Key/],
  ],
  'key-in-body': [
    [{ body: `{"appKey":"${key}"}` }, 'CREDENTIALS_MISSING', /Send the App Key/],
    [{ body: `a=1&appKey=${key}` }, 'CREDENTIALS_MISSING', /Send the App Key/],
  ],
  'hmac-for-key': [[{ headers: [['Authorization', 'hmac appkey="a"']] }, 'CREDENTIALS_MISSING', /Send the App Key/]],
  'basic-authentication': [[{ headers: [['Authorization', 'Basic YTpi']] }, 'CREDENTIALS_MISSING', /Send the App Key/]],
  'bearer-token': [
    [{ headers: [['Authorization', `Bearer ${key}`]] }, 'CREDENTIALS_MISSING', /Send the App Key/],
    [
      {
        headers: [['Authorization', `Bearer ${key}`]],
        options: { keyNames: [{ header: 'Authorization', scheme: 'Token' }] },
      },
      'CREDENTIALS_MISSING',
      /as the header Authorization after the word Token/,
    ],
  ],
  'key-in-authorization': [[{ headers: [['Authorization', key]] }, 'CREDENTIALS_MISSING', /Send the App Key/]],
  'key-empty': [
    [
      {
        headers: [['Authorization', 'Bearer']],
        options: { keyNames: [{ header: 'Authorization', scheme: 'Bearer' }] },
      },
      'CREDENTIALS_MALFORMED',
      /it was empty/,
    ],
    [{ query: 'appKey=' }, 'CREDENTIALS_MALFORMED', /it was empty/],
    [header(''), 'CREDENTIALS_MALFORMED', /it was empty/],
  ],
  'key-twice': [
    [{ query: `appKey=${key}&appKey=${key}` }, 'CREDENTIALS_MALFORMED', /once/],
    [
      {
        headers: [
          ['X-App-Key', key],
          ['x-app-key', key],
        ],
      },
      'CREDENTIALS_MALFORMED',
      /once/,
    ],
  ],
  'key-in-a-later-place': [[{ query: 'appKey=other', ...header(key) }, 'AUTHENTICATION_FAILED', /in one place/]],
  'key-white-space': [
    [{ query: `appKey=${key}%0A` }, 'AUTHENTICATION_FAILED', /without blanks/],
    [{ query: `appKey=+${key}` }, 'AUTHENTICATION_FAILED', /without blanks/],
    [{ ...header(key), key: `${key} ` }, 'AUTHENTICATION_FAILED', /without blanks/],
  ],
  'key-case': [[header(key.toUpperCase()), 'AUTHENTICATION_FAILED', /exactly as it was issued/]],
  'key-quoted': [[header(`"${key}"`), 'AUTHENTICATION_FAILED', /without the quotes/]],
  'key-scheme': [[header(`Bearer ${key}`), 'AUTHENTICATION_FAILED', /nothing before it/]],
  'key-encoded': [[{ ...header('a%2Eb%2Ec'), key: 'a.b.c' }, 'AUTHENTICATION_FAILED', /percent-encoded once/]],
  'key-base64': [[header(Buffer.from(key).toString('base64')), 'AUTHENTICATION_FAILED', /exactly/]],
  'key-cut': [[header(key.slice(0, -1)), 'AUTHENTICATION_FAILED', /exactly/]],
  'parameter-signature-for-key': [[{ query: 'appKey=another&sign=0' }, 'AUTHENTICATION_FAILED', /method key/]],
  'other-key': [[header('another'), 'AUTHENTICATION_FAILED', /for key authentication/]],
};

describe('explain on a key endpoint', () => {
  it('finds nothing wrong where the App Key is right', async () => {
    const right: readonly Sent[] = [
      { query: `appKey=${key}` },
      header(key),
      { query: 'appKey', ...header(key) },
      { query: `appKey=${key}`, ...header('other') },
      { headers: [['apikey', key]], options: { keyNames: [{ header: 'ApiKey' }] } },
      { query: '%61ppKey=a%2Eb', key: 'a.b' },
    ];
    for (const sent of right) {
      const { verdict, mistakes: named, answer } = await explainSent(sent);
      assert.deepEqual([verdict, named, answer.status], ['right', [], null], JSON.stringify(sent));
    }
  });

  for (const [name, cases] of Object.entries(mistakes)) {
    it(`names ${name}, and prints no App Key`, async () => {
      for (const [sent, code, fix] of cases) {
        const explanation = await explainSent(sent);
        assert.deepEqual([explanation.verdict, explanation.mistakes.map((one) => one.name)], ['wrong', [name]]);
        assert.equal(explanation.answer.code, code);
        assert.match(explanation.mistakes[0]?.fix ?? '', fix);
        assert.ok(!JSON.stringify(explanation).toLowerCase().includes(key.slice(0, 8)));
      }
    });
  }
});
