#!/bin/sh
# npm @fedify/fedify 2.3.6, fulfillAcceptSignature and signRequest.
#
# Guess: a library that reads Accept-Signature (RFC 9421 §5.1) signs what a server asks for.
# Seen:  of a request with a body it adds "content-digest" to a list that has it already: the component stands there
#        twice, which RFC 9421 §2.5 forbids. And it signs @query without its question mark (§2.2.7 has "?a=1"), so that
#        a server which asks for @path and @query never gets what it asked for.
# Here:  both are refused (CREDENTIALS_MALFORMED, AUTHENTICATION_FAILED); docs/interoperability.md says that the
#        library has to be told to cover @method and @target-uri.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --save-exact @fedify/fedify@2.3.6
cat > run.mjs <<'JAVASCRIPT'
import { createPublicKey, KeyObject, verify, webcrypto } from 'node:crypto';
import { fulfillAcceptSignature, parseAcceptSignature, signRequest, validateAcceptSignature } from '@fedify/fedify';

const parameters = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
const { privateKey, publicKey } = await webcrypto.subtle.generateKey(parameters, true, ['sign', 'verify']);
const keyid = 'https://partner.example/key';
const url = 'https://api.example/orders?a=1';
const signed = async (request, components) => {
  const accept = `sig1=(${components});created`;
  const [wish] = validateAcceptSignature(parseAcceptSignature(accept));
  const rfc9421 = fulfillAcceptSignature(wish, keyid, 'rsa-v1_5-sha256');
  return await signRequest(request, privateKey, new URL(keyid), { spec: 'rfc9421', rfc9421 });
};

const post = await signed(new Request(url, { method: 'POST', body: 'a' }), '"@method" "@target-uri" "content-digest"');
const input = post.headers.get('signature-input');
const times = input.split('"content-digest"').length - 1;
console.log('"content-digest" is covered', times, 'times');

const get = await signed(new Request(url), '"@method" "@authority" "@path" "@query"');
const list = get.headers.get('signature-input').replace(/^[^=]+=/, '');
const signature = Buffer.from(/:([^:]+):/.exec(get.headers.get('signature'))[1], 'base64');
const values = { '@method': 'GET', '@authority': 'api.example', '@path': '/orders', host: 'api.example', date: get.headers.get('date') };
const fits = (query) => {
  const names = [...list.slice(1, list.indexOf(')')).matchAll(/"([^"]+)"/g)].map(([, name]) => name);
  const lines = names.map((name) => `"${name}": ${name === '@query' ? query : values[name]}`);
  const base = [...lines, `"@signature-params": ${list}`].join('\n');
  return verify('sha256', Buffer.from(base), KeyObject.from(publicKey), signature);
};
console.log('@query as "?a=1" fits:', fits('?a=1'), '· as "a=1":', fits('a=1'));
if (times !== 2 || fits('?a=1') || !fits('a=1')) process.exit(1);
JAVASCRIPT
node run.mjs
