/** Compiled only: what the README shows, and what types promise. */
import { Agent, fetch as undiciFetch } from 'undici';
import { createClient, encodeParameters, readRefusal, type ClientSettings } from '../src/index.ts';

const [appKey, appSecret] = ['k', 's'];
createClient({ method: 'key', appKey });
createClient({ method: 'key', appKey, carrier: { query: 'appKey' } });
createClient({ method: 'hmac', appKey, appSecret });
createClient({ method: 'parameter-signature', appKey, appSecret });
createClient({ method: 'oauth2', appKey, appSecret, tokenUrl: 'https://api.example.com/oauth2/token' });

const privateKey = '-----BEGIN PRIVATE KEY-----';
const tokenUrl = 'https://api.example.com/oauth2/token';
createClient({ method: 'http-message-signature', appKey, privateKey, coverAlso: ['content-type'], tag: 'app' });
createClient({ method: 'private-key-jwt', appKey, privateKey: { kty: 'OKP' }, tokenUrl, algorithm: 'EdDSA' });
export const withService = createClient({
  method: 'http-message-signature',
  appKey,
  algorithm: 'ecdsa-p256-sha256',
  privateKey: async (bytes) => await Promise.resolve(bytes),
});
// @ts-expect-error -- a private key takes the place of an App Secret
createClient({ method: 'http-message-signature', appKey, appSecret });
const assertions = { method: 'private-key-jwt', appKey, privateKey, tokenUrl } as const;
// @ts-expect-error -- algorithms of message signatures are none of assertions
createClient({ ...assertions, algorithm: 'ed25519' });

// @ts-expect-error -- key has no App Secret
createClient({ method: 'key', appKey, appSecret });
// @ts-expect-error -- hmac needs one
createClient({ method: 'hmac', appKey });
// @ts-expect-error -- only signatures have a nonce
export const wrong: ClientSettings = { method: 'oauth2', appKey, appSecret, tokenUrl: 'https://a/', nonce: true };

const dispatcher = new Agent({ allowH2: true });
const client = createClient({
  method: 'hmac',
  appKey,
  appSecret,
  fetch: async (url, init) => (await undiciFetch(url, { ...init, dispatcher })) as unknown as Response,
});

/** It can take fetch's place. */
export const asFetch: typeof fetch = client.fetch;

export async function shown(): Promise<void> {
  await client.fetch(`https://api.example.com/shipments?${encodeParameters({ to: 'Köln 1' })}`);
  await client.fetch('https://api.example.com/shipments', {
    method: 'POST',
    body: new URLSearchParams({ to: 'Köln 1' }),
  });
  const response = await client.fetch('https://api.example.com/orders');
  const refusal = await readRefusal(response);
  if (refusal) console.error(refusal.code, refusal.message, refusal.requestId);
  const signed = await client.sign({
    method: 'POST',
    url: 'https://api.example.com/invoices',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ amount: 12 }),
  });
  await fetch(signed.url, { method: signed.method, headers: signed.headers, body: signed.body });
}
