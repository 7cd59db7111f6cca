// Mutual TLS between Envoy and Postern: turned on while partners call, and certificates renewed.
import { writeFile } from 'node:fs/promises';
import { makeAuthority } from './certificates.mjs';
import { containersOf, everyLogSays, kubectl, settled, shell } from './cluster.mjs';
import { blocksOf } from './demo.mjs';
import { addComponent, path, reader } from './reader.mjs';
import { unnoticed } from './traffic.mjs';

let authority;
async function putCertificate(secret, ...hosts) {
  authority ??= await makeAuthority(path('cluster-authority'), 'Envoy and Postern');
  const { certificate, key, authority: ca } = await authority.issue(...hosts);
  const files = { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': ca };
  const data = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret, namespace: 'postern' }, data };
  await writeFile(path('secret.json'), JSON.stringify(object), { mode: 0o600 });
  await kubectl('apply', '--server-side', '--filename', path('secret.json'));
}

const renew = async () => {
  await putCertificate('postern-tls', 'postern.postern.svc', 'postern-headless.postern.svc');
  await putCertificate('envoy-tls', 'envoy.postern.svc');
};

/** docs/tls.md: four blocks, with the changes of the kustomization between them. */
export async function turnTlsOn() {
  const cwd = await reader();
  const [pause, begin, envoys, rest] = blocksOf('Turn TLS on in a running installation');
  await renew();
  return unnoticed(async () => {
    await shell(pause, { cwd });
    await addComponent('tls');
    await shell(begin, { cwd });
    await addComponent('tls-envoy');
    await shell(envoys, { cwd });
    await shell(rest, { cwd });
    await settled('postern', 'envoy');
  });
}

/** Both Secrets get new certificates; nothing restarts. */
export async function renewCertificates() {
  const before = await containersOf('postern', 'envoy');
  let seconds = 0;
  const text = await unnoticed(async () => {
    const since = new Date().toISOString();
    const start = performance.now();
    await renew();
    await everyLogSays('new connections take the changed TLS certificate', since);
    seconds = Math.round((performance.now() - start) / 1000);
  });
  if ((await containersOf('postern', 'envoy')) !== before) throw new Error('a pod was replaced or restarted');
  return `in force after ${seconds} s; ${text}`;
}
