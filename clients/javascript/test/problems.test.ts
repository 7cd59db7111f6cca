import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type ProblemCode, type UnsignedRequest } from '../src/index.ts';
import { appKey, appSecret } from './support/credentials.ts';
import { problemOf } from './support/problem.ts';

const form: [string, string][] = [['Content-Type', 'application/x-www-form-urlencoded']];
const json: [string, string][] = [['Content-Type', 'application/json']];
const url = 'https://api.example.com/a';

describe('the first of several problems counts', () => {
  const client = createClient({ method: 'parameter-signature', appKey, appSecret });
  const many = Array.from({ length: 101 }, () => 'a=1').join('&');
  const cases: [ProblemCode, Partial<UnsignedRequest>][] = [
    ['TARGET_NOT_SIGNABLE', { url: `${url}?ö`, headers: json, body: 'x'.repeat(2_097_153) }],
    [
      'BODY_TOO_LARGE',
      { url: `${url}?a=1`, headers: [...json, ['Content-Encoding', 'br']], body: '"'.repeat(1_048_577) },
    ],
    ['BODY_TOO_LARGE', { url: `${url}?a=1`, headers: [], body: 'x'.repeat(10_485_761) }],
    ['BODY_NOT_SIGNABLE', { url: `${url}?a=1`, headers: [...form, ['Content-Encoding', 'br']], body: '%' }],
    ['QUERY_NOT_SIGNABLE', { url: `${url}?a=1`, headers: form, body: '%' }],
    ['MALFORMED_PARAMETERS', { headers: form, body: `sign=1&a%26=1&${many}&%zz` }],
    ['RESERVED_PARAMETER', { headers: form, body: `a%26=1&${many}&sign` }],
    ['AMBIGUOUS_PARAMETERS', { headers: form, body: `a%26=1&${many}` }],
    ['TOO_MANY_PARAMETERS', { headers: form, body: many }],
  ];
  for (const [code, request] of cases) {
    it(`${code}, in ${JSON.stringify(request).slice(0, 60)}`, async () => {
      assert.equal((await problemOf(client.sign({ method: 'POST', url, ...request }))).code, code);
    });
  }

  it('hmac: the size before the headers', async () => {
    const hmac = createClient({ method: 'hmac', appKey, appSecret, signedHeaders: ['te'] });
    const signing = hmac.sign({ method: 'POST', url, body: new Uint8Array(10_485_761) });
    assert.equal((await problemOf(signing)).code, 'BODY_TOO_LARGE');
  });
});

describe('sizes count as sent', () => {
  const client = createClient({ method: 'parameter-signature', appKey, appSecret });
  const added = `&appKey=${appKey}&apiTimestamp=1795228800&sign=${'0'.repeat(128)}`.length;
  it('takes a form that is just small enough', async () => {
    const { body } = await client.sign({ method: 'POST', url, headers: form, body: 'x'.repeat(10_485_760 - added) });
    assert.equal(body?.length, 10_485_760);
  });
  it('refuses a form of one byte more', async () => {
    const signing = client.sign({ method: 'POST', url, headers: form, body: 'x'.repeat(10_485_761 - added) });
    assert.equal((await problemOf(signing)).code, 'BODY_TOO_LARGE');
  });
  const around = `{"data":"","appKey":"${appKey}","sign":"${'0'.repeat(128)}","apiTimestamp":1795228800}`.length;
  it('takes a wrapper that is just small enough, each escape counted', async () => {
    const data = `"\u0001${'x'.repeat(2_097_152 - around - 8)}`;
    const { body } = await client.sign({ method: 'POST', url, headers: json, body: data });
    assert.equal(body?.length, 2_097_152);
  });
  it('refuses a wrapper of one byte more', async () => {
    const data = `"\u0001${'x'.repeat(2_097_152 - around - 7)}`;
    const signing = client.sign({ method: 'POST', url, headers: json, body: data });
    assert.equal((await problemOf(signing)).code, 'BODY_TOO_LARGE');
  });
});

describe('what could be mistaken for other parameters', () => {
  const client = createClient({ method: 'parameter-signature', appKey, appSecret });
  it('is no value with "=" before "&"', async () => {
    const { stringToSign } = await client.sign({ method: 'GET', url: `${url}?q=x%3D1%26y` });
    assert.match(stringToSign ?? '', /&q=x=1&y$/);
  });
  it('is a value with "=" before and after "&"', async () => {
    const signing = client.sign({ method: 'GET', url: `${url}?q=x%3D1%26y%3D` });
    assert.equal((await problemOf(signing)).code, 'AMBIGUOUS_PARAMETERS');
  });
});

describe('what the gateway would refuse', () => {
  const client = createClient({ method: 'parameter-signature', appKey, appSecret });
  const bodies: [string, [string, string][]][] = [
    ['two content types', [...json, ...json]],
    ['two charsets', [['Content-Type', 'application/json; charset=utf-8; charset=utf-8']]],
    ['a charset with a blank', [['Content-Type', 'application/json; charset= utf-8']]],
    ['a parameter without a value', [['Content-Type', 'application/json; charset']]],
    ['a quote that does not end', [['Content-Type', 'application/json; charset="utf-8']]],
    ['two content encodings', [...json, ['Content-Encoding', 'identity'], ['Content-Encoding', 'identity']]],
    ['a name of every object as type', [['Content-Type', 'constructor']]],
  ];
  for (const [what, headers] of bodies) {
    it(`a body with ${what}`, async () => {
      const signing = client.sign({ method: 'POST', url, headers, body: '{}' });
      assert.equal((await problemOf(signing)).code, 'BODY_NOT_SIGNABLE');
    });
  }
  for (const target of ['/relative', 'ftp://api.example.com/a', 'https:///a', 'https://api.example.com/a b']) {
    it(`the URL ${target}`, async () => {
      assert.equal((await problemOf(client.sign({ method: 'GET', url: target }))).code, 'TARGET_NOT_SIGNABLE');
    });
  }
});
