import { quoted } from '../language.ts';
import { BODY_TYPE, type KeyCall, type KeyLanguage, tagText } from './key-call.ts';

function program(call: KeyCall): string {
  const { http, body, coversType } = call;
  const ofBody =
    body === null
      ? ['const body = undefined;', 'const headers = {};', 'const covered = {};']
      : [
          `const body = ${quoted(body)};`,
          `const headers = { 'content-type': '${BODY_TYPE}', 'content-digest': \`sha-256=:\${createHash('sha256').update(body).digest('base64')}:\` };`,
          coversType ? 'const covered = headers;' : "const covered = { 'content-digest': headers['content-digest'] };",
        ];
  return `import { constants, createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const { POSTERN_URL, APP_KEY, PRIVATE_KEY_FILE } = process.env;
const key = createPrivateKey(readFileSync(PRIVATE_KEY_FILE));
const url = new URL(POSTERN_URL);
const method = ${quoted(http)};
${ofBody.join('\n')}

const values = { '@method': method, '@authority': url.host, '@path': url.pathname, '@query': url.search || '?', ...covered };
const names = Object.keys(values).map((name) => \`"\${name}"\`).join(' ');
const created = Math.floor(Date.now() / 1000);
const input = \`(\${names});created=\${created};keyid="\${APP_KEY}";nonce="\${randomUUID()}"\` + ${quoted(tagText(call))};
const lines = Object.entries(values).map(([name, value]) => \`"\${name}": \${value}\`);
const base = Buffer.from([...lines, \`"@signature-params": \${input}\`].join('\\n'));

const ecHash = key.asymmetricKeyDetails.namedCurve === 'secp384r1' ? 'sha384' : 'sha256';
const signature = {
  ed25519: () => sign(null, base, key),
  ec: () => sign(ecHash, base, { key, dsaEncoding: 'ieee-p1363' }),
  rsa: () => sign('sha512', base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }),
}[key.asymmetricKeyType]();
headers['signature-input'] = \`sig1=\${input}\`;
headers['signature'] = \`sig1=:\${signature.toString('base64')}:\`;

const response = await fetch(url, { method, headers, body });
console.log(response.status, await response.text());
process.exitCode = response.ok ? 0 : 1;
`;
}

/** Samples in JavaScript, with `node:crypto`. */
export const javascriptWithKey: KeyLanguage = {
  title: 'JavaScript',
  fence: 'js',
  programName: 'first-call.mjs',
  program,
  projectFiles: [],
  install: [],
  run: 'node first-call.mjs',
};
