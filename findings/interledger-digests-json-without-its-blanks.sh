#!/bin/sh
# npm @interledger/http-signature-utils 2.0.3 (Open Payments, GNAP).
#
# Guess: Content-Digest (RFC 9530) is of the body as it is given, as the field says: of the bytes that are sent.
# Seen:  the body is parsed and written again before it is digested. JSON with a blank or a line feed gets the digest of
#        another text than its own, and a body that is no JSON throws.
# Here:  DIGEST_MISMATCH, and explain names the difference ("digest of the body, reformatted"); docs/interoperability.md
#        names the library.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --save-exact @interledger/http-signature-utils@2.0.3
cat > run.mjs <<'JAVASCRIPT'
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createHeaders } from '@interledger/http-signature-utils';

const { privateKey } = generateKeyPairSync('ed25519');
const digestOf = (text) => createHash('sha512').update(text).digest('base64');
const given = async (body) => {
  const request = { method: 'POST', url: 'https://api.example/payments', headers: {}, body };
  const headers = await createHeaders({ request, privateKey, keyId: 'key' });
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-digest')[1];
};
const body = '{ "amount": 12 }';
const digest = await given(body);
console.log('as given:', digest.includes(digestOf(body)), '· without blanks:', digest.includes(digestOf('{"amount":12}')));
const other = await given('amount=12').then(() => 'digested', (error) => error.name);
console.log('no JSON:', other);
if (digest.includes(digestOf(body)) || !digest.includes(digestOf('{"amount":12}')) || other !== 'SyntaxError') process.exit(1);
JAVASCRIPT
node run.mjs
