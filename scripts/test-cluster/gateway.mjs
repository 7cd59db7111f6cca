// What a control plane needs around the overlay of its gateway, and the calls of partners through that gateway.
import { createHmac } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYaml } from '../attachments/manifests.mjs';
import { makeAuthority } from './certificates.mjs';
import { kubectl, mustRun, root, until } from './cluster.mjs';
import { path } from './reader.mjs';

const host = 'api.example.com';
const demo = (name) => join(root, 'deploy/overlays/demo', name);

/** What an overlay names and does not bring: a certificate in this namespace, a key ring, a back end. */
export async function makeSurroundings(namespace) {
  for (const name of new Set([namespace, 'partners'])) await kubectl('create', 'namespace', name);
  const { certificate, key } = await (await makeAuthority(path('gateway-authority'), 'partners')).issue(host);
  await writeFile(path('gateway.crt'), certificate);
  await writeFile(path('gateway.key'), key, { mode: 0o600 });
  const pair = [`--cert=${path('gateway.crt')}`, `--key=${path('gateway.key')}`];
  await kubectl('create', 'secret', 'tls', 'partners-tls', `--namespace=${namespace}`, ...pair);
  await kubectl('apply', '--filename', join(root, 'deploy/base/namespace.yaml'));
  const keyRing = `--from-file=${demo('keyring.yaml')}`;
  await kubectl('create', 'secret', 'generic', 'postern', '--namespace=postern', keyRing);
  await kubectl('create', 'configmap', 'echo', '--namespace=partners', `--from-file=${demo('echo/echo.mjs')}`);
  const objects = parseYaml(await readFile(join(root, 'scripts/test-cluster/shop.yaml'), 'utf8'));
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await writeFile(path('backend.json'), text.replaceAll('"shop"', '"partners"').replaceAll('"orders"', '"backend"'));
  await kubectl('apply', '--filename', path('backend.json'));
}

/** Applies an overlay, with the declarative file of the demo as the store. */
export async function applyOverlay(overlay, patches = []) {
  const document = { name: 'postern-document', namespace: 'postern', files: ['postern.yaml'] };
  const kustomization = {
    resources: [`../deploy/overlays/${overlay}`],
    components: ['../deploy/components/file-store'],
    configMapGenerator: [{ ...document, options: { disableNameSuffixHash: true } }],
    patches,
  };
  await mkdir(path('gateway'), { recursive: true });
  await writeFile(path('gateway/postern.yaml'), await readFile(join(root, 'examples/demo/postern.yaml')));
  await writeFile(path('gateway/kustomization.yaml'), JSON.stringify(kustomization));
  await kubectl('apply', '-k', path('gateway'));
}

/** Waits for the first signed answer 200 of the gateway at this address. */
export async function firstSigned(address) {
  await until('the first signed 200', async () => {
    const answer = await call(address, '/invoices/1', signed('/invoices/1', secretOfDemo)).catch(() => null);
    return answer?.status === '200';
  });
}

function signed(path, secret) {
  const date = new Date().toUTCString();
  const signature = createHmac('sha256', secret).update(`date: ${date}\nGET ${path} HTTP/1.1`).digest('base64');
  const parts = ['appkey="acme-hmac-demo"', 'algorithm="hmac-sha256"', 'headers="date request-line"'];
  const authorization = `hmac ${[...parts, `signature="${signature}"`].join(', ')}`;
  return ['--header', `date: ${date}`, '--header', `authorization: ${authorization}`];
}

const secretOfDemo = 'public-demo-secret-of-acme-for-hmac';

/** What the gateway answers: `{ status, body }`. */
async function call(address, target, headers) {
  const trust = ['--cacert', path('gateway-authority/ca.crt'), '--connect-to', `${host}:443:${address}:443`];
  const flags = ['--silent', '--show-error', '--http1.1', '--path-as-is', '--write-out', '\n%{http_code}'];
  const said = await mustRun('n1', 'curl', [...flags, ...trust, ...headers, `https://${host}${target}`]);
  const end = said.lastIndexOf('\n');
  return { status: said.slice(end + 1), body: said.slice(0, end) };
}

/** The checks of the pages, from outside the gateway. */
export async function callGateway(address) {
  const target = '/invoices/1';
  const own = () => signed(target, secretOfDemo);
  const expectations = [
    ['a signed request', target, own(), '200', 'x-consumer-id: acme'],
    [
      'with an identity of its own',
      target,
      [...own(), '--header', 'X-Consumer-Id: root'],
      '200',
      'x-consumer-id: acme',
    ],
    ['a forged signature', target, signed(target, 'not the secret'), '401', 'AUTHENTICATION_FAILED'],
    ['no credentials', target, [], '401', '"code"'],
    ['a path out of its normal form', '/invoices//1', signed('/invoices//1', secretOfDemo), '400', '"code"'],
  ];
  for (const [what, path, headers, status, text] of expectations) {
    const answer = await call(address, path, headers);
    const isGood = answer.status === status && answer.body.includes(text) && !answer.body.includes('root');
    if (!isGood) throw new Error(`${what}: ${answer.status} ${answer.body}, not ${status} with ${text}`);
  }
  return expectations.length;
}

/** Postern is gone: nothing passes. */
export async function callWithoutPostern(address) {
  await kubectl('scale', 'deployment/postern', '--namespace=postern', '--replicas=0');
  await until('the gateway refuses with 503', async () => {
    const { status, body } = await call(address, '/invoices/1', signed('/invoices/1', secretOfDemo));
    return status === '503' && body.includes('UNAVAILABLE');
  });
}
