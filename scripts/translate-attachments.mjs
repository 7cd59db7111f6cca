// `npm run translate:attachments [-- NAME …]`: asks the control planes themselves what they make of the committed
// manifests, and keeps their answers for the tests. Needs Go, openssl and, the first time, half an hour. docs/istio.md
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { digestOf } from './attachments/manifests.mjs';
import * as envoyGateway from './attachments/envoy-gateway.mjs';
import * as istio from './attachments/istio.mjs';
import { run } from '../services/run.mjs';

/** By the name of the kept answer: who is asked, about which folders below deploy, with which components. */
const attachments = {
  'envoy-gateway': { ...envoyGateway, folders: ['overlays/envoy-gateway'] },
  'envoy-gateway-tls': {
    ...envoyGateway,
    folders: ['overlays/envoy-gateway', 'components/tls-envoy-gateway'],
    components: ['components/tls', 'components/tls-envoy-gateway'],
  },
  'envoy-gateway-mutual-tls': {
    ...envoyGateway,
    folders: ['overlays/envoy-gateway', 'components/mutual-tls-envoy-gateway'],
    components: ['components/mutual-tls-envoy-gateway'],
  },
  istio: { ...istio, folders: ['overlays/istio'] },
  'istio-mutual-tls': {
    ...istio,
    folders: ['overlays/istio', 'components/mutual-tls-istio'],
    components: ['components/mutual-tls-istio'],
  },
};
const fixtures = fileURLToPath(new URL('../test/vectors/attachments/', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

const names = process.argv.slice(2);
for (const name of names) {
  if (!(name in attachments)) {
    console.error(`There is no attachment ${name}: ${Object.keys(attachments).join(', ')}`);
    process.exit(2);
  }
}
await mkdir(fixtures, { recursive: true });
for (const name of names.length > 0 ? names : Object.keys(attachments)) {
  const { translate, controlPlane, folders, components = [] } = attachments[name];
  console.log(`${name}: ${controlPlane}`);
  const resources = await translate({
    components,
    onProgress: ({ phase, title }) => console.log(`  ${title}: ${phase}`),
  });
  const head = { generatedBy: 'npm run translate:attachments', controlPlane, manifests: await digestOf(folders) };
  const file = `${fixtures}${name}.json`;
  await writeFile(file, JSON.stringify({ ...head, ...resources }, null, 2));
  const { code, stderr } = await run('node_modules/.bin/biome', ['format', '--write', file], { cwd: root });
  if (code !== 0) throw new Error(stderr);
  console.log(`  ${file}`);
}
