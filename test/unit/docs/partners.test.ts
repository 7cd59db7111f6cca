import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { Secret } from '../../../src/model/secret.ts';
import { isRefusal } from '../../../src/check/refusal.ts';
import { type ClientRequest } from '../../../src/check/signing/client-request.ts';
import { signHmac } from '../../../src/check/methods/hmac/sign.ts';
import { signParameters } from '../../../src/check/methods/parameter-signature/sign.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';

const page = readDocument('docs/partners.md');
const appKey = /App Key `(\w{32})`/.exec(page)?.[1] ?? '';
const secretText = /App Secret `(\w{43})`/.exec(page)?.[1] ?? '';
const secret = Secret.fromText(secretText);
const nowSeconds = Date.parse('2026-11-21T02:40:00Z') / 1000;

/** The examples without a language, in order: texts to sign and what they give. */
const [hmacText = '', urlText = '', target = '', jsonText = ''] = readFences(page, '').map((text) => text.trimEnd());

const options = {
  parameterEncoding: 'decoded',
  strictParameters: true,
  unsignedQuery: 'refuse',
  unsignedBody: 'refuse',
} as const;

function requestOf(method: string, path: string, body: string): ClientRequest {
  const headers = body === '' ? [] : [['Content-Type', 'application/json'] as const];
  return { method, path, authority: 'api.example.com', headers, body: Buffer.from(body) };
}

describe('the worked examples in docs/partners.md', () => {
  it('have the hmac signature that the gateway wants', () => {
    const signed = signHmac(requestOf('POST', '/invoices?year=2026', '{"amount":12}'), {
      appKey,
      secret,
      algorithm: 'hmac-sha256',
      alsoSigned: [],
      nowSeconds,
    });
    assert.ok(!isRefusal(signed));
    const header = signed.headers.find(([name]) => name === 'Authorization')?.[1] ?? '';
    const mac = createHmac('sha256', secretText).update(hmacText).digest('base64');
    assert.ok(header.endsWith(`signature="${mac}"`));
    assert.ok(page.includes(`in base64: \`${mac}\`.`));
  });

  it('have the target that the gateway wants for parameters in the URL', () => {
    const signed = signParameters(requestOf('GET', '/shipments?to=K%C3%B6ln+1', ''), {
      appKey,
      secret,
      timestampSeconds: nowSeconds,
      options,
    });
    assert.ok(!isRefusal(signed));
    assert.equal(target, signed.path);
    assert.ok(target.endsWith(`&sign=${sha512(urlText)}`));
  });

  it('have the wrapper that the gateway wants for JSON', () => {
    const signed = signParameters(requestOf('POST', '/shipments', '{"weight":"2 kg"}'), {
      appKey,
      secret,
      timestampSeconds: nowSeconds,
      options,
    });
    assert.ok(!isRefusal(signed));
    const wrapper = readFences(page, 'json').find((text) => text.startsWith('{"data":')) ?? '';
    assert.equal(wrapper.trimEnd(), signed.body.toString('utf8'));
    assert.ok(wrapper.includes(`"sign":"${sha512(jsonText)}"`));
  });
});

describe('the clients in docs/partners.md', () => {
  it('are linked, each of them', () => {
    for (const client of ['javascript', 'python', 'go', 'java', 'php', 'rust', 'shell']) {
      assert.ok(page.includes(`](../clients/${client}/README.md)`), client);
    }
  });
});

function sha512(text: string): string {
  return createHash('sha512').update(text, 'utf8').digest('hex');
}
