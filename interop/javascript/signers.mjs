import { createHash, createPrivateKey, webcrypto } from 'node:crypto';
import { fulfillAcceptSignature, parseAcceptSignature, signRequest, validateAcceptSignature } from '@fedify/fedify';
import { createHeaders } from '@interledger/http-signature-utils';
import { signAsDraftToRequest } from '@misskey-dev/node-http-message-signatures';
import { createSignature, webcrypto as webCryptoSigners } from 'http-message-sig';
import { createSigner, httpbis } from 'http-message-signatures';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';

/** The digest of RFC 9530, which these libraries leave to their caller. */
function withDigest({ headers, body }) {
  if (body === null) return Object.fromEntries(headers);
  const digest = createHash('sha256').update(body).digest('base64');
  return { ...Object.fromEntries(headers), 'content-digest': `sha-256=:${digest}:` };
}

const webCryptoNames = {
  ed25519: { name: 'Ed25519' },
  'rsa-pss-sha512': { name: 'RSA-PSS', hash: 'SHA-512' },
  'rsa-v1_5-sha256': { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
};

const importKey = async ({ algorithm, jwk }) =>
  await webcrypto.subtle.importKey('jwk', jwk, webCryptoNames[algorithm], true, ['sign']);

/** What is sent, with these fields beside those of the request. */
const signed = (request, headers) => ({ ...request, headers });

/** By the name of the package: from a question to the request as it is sent. `covers` null: what the package does. */
export const signers = {
  'http-message-signatures': async ({ request, key, keyid, covers }) => {
    const message = { method: request.method, url: request.url, headers: withDigest(request) };
    const signer = createSigner(createPrivateKey(key.pem), key.algorithm, keyid);
    const options = covers === null ? { key: signer } : { key: signer, fields: covers };
    return signed(request, (await httpbis.signMessage(options, message)).headers);
  },
  'http-message-sig': async ({ request, key, keyid, covers, created }) => {
    const headers = withDigest(request);
    const message = new Request(request.url, { method: request.method, headers });
    const fields = await createSignature(message, {
      components: covers ?? [],
      parameters: { created, keyid },
      signer: webCryptoSigners.signer(await importKey(key)),
    });
    return signed(request, { ...headers, 'Signature-Input': fields.signatureInput, Signature: fields.signature });
  },
  'web-bot-auth': async ({ request, key, covers, created }) => {
    const headers = withDigest(request);
    const message = new Request(request.url, { method: request.method, headers });
    const times = { created: new Date(created * 1000), expires: new Date((created + 300) * 1000) };
    const options = covers === null ? times : { ...times, components: covers };
    const jwk = key.algorithm === 'rsa-pss-sha512' ? { ...key.jwk, alg: 'PS512' } : key.jwk;
    const fields = await signatureHeaders(message, await signerFromJWK(jwk), options);
    return signed(request, { ...headers, ...fields });
  },
  '@interledger/http-signature-utils': async ({ request, key, keyid }) => {
    const { method, url, body } = request;
    const headers = Object.fromEntries(request.headers);
    const privateKey = createPrivateKey(key.pem);
    const added = await createHeaders({ request: { method, url, headers, body }, privateKey, keyId: keyid });
    // It writes Content-Type and Content-Length itself.
    const own = request.headers.filter(([name]) => !Object.keys(added).some((each) => each.toLowerCase() === name));
    return signed(request, { ...Object.fromEntries(own), ...added });
  },
  '@fedify/fedify': async ({ request, key, keyid, covers, acceptSignature }) => {
    const { method, url, headers, body } = request;
    const message = new Request(url, { method, headers, body });
    // It covers the digest of a body by itself.
    const components = covers?.filter((name) => name !== 'content-digest').map((value) => ({ value, params: {} }));
    const options = { spec: 'rfc9421', rfc9421: components === undefined ? {} : { components } };
    if (acceptSignature !== undefined) {
      const [wish] = validateAcceptSignature(parseAcceptSignature(acceptSignature));
      options.rfc9421 = fulfillAcceptSignature(wish, keyid, key.algorithm);
    }
    const result = await signRequest(message, await importKey(key), new URL(keyid), options);
    return signed(request, Object.fromEntries(result.headers));
  },
  '@misskey-dev/node-http-message-signatures': async ({ request, key, keyid }) => {
    const headers = { date: new Date().toUTCString(), ...withDigest(request) };
    const { host } = new URL(request.url);
    const message = { method: request.method, url: request.url, headers: { ...headers, host } };
    const names = ['(request-target)', 'date', 'host'];
    await signAsDraftToRequest(message, { keyId: keyid, privateKeyPem: key.pem }, names);
    return signed(request, message.headers);
  },
};
