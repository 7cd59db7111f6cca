// Who may reach which port: pods that try.
import { get, kubectl, podsOf, tryKubectl, until } from './cluster.mjs';

/** Says on standard output whether an address and port are open. */
const probe = `
const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1]);
const end = (text) => { console.log(text); process.exit(); };
socket.on('connect', () => end('open')).on('error', (error) => end(error.code));
setTimeout(() => end('closed'), 3000);
`;

const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  runAsUser: 65532,
  seccompProfile: { type: 'RuntimeDefault' },
};

/** What a pod with this label in this namespace finds at a port of the first pod of `target`: "open", "closed". */
async function look(namespace, [label, value], target, port) {
  const [{ status }] = await podsOf(target);
  const name = `probe-${target}-${port}`;
  const flags = [`--namespace=${namespace}`];
  const container = {
    name: 'probe',
    image: 'postern:0.1.0',
    args: ['-e', probe, status.podIP, String(port)],
    securityContext: restricted,
  };
  const overrides = { apiVersion: 'v1', spec: { containers: [container], restartPolicy: 'Never' } };
  const pod = [name, '--image=postern:0.1.0', '--restart=Never', `--labels=${label}=${value}`];
  await kubectl('run', ...pod, ...flags, '--overrides', JSON.stringify(overrides));
  await until('the probe has ended', async () => {
    const { phase } = (await get('pod', name, ...flags)).status;
    return phase === 'Succeeded' || phase === 'Failed';
  });
  const said = await kubectl('logs', name, ...flags);
  await kubectl('delete', 'pod', name, ...flags, '--grace-period=0', '--force');
  return said.trim();
}

const callers = [
  [
    'an Envoy in another namespace',
    'partners',
    ['postern-client', 'true'],
    { 9001: 'open', 9002: 'open', 9003: 'closed' },
  ],
  ['another pod', 'partners', ['app', 'other'], { 9001: 'closed', 9002: 'closed', 9003: 'closed' }],
  [
    'a pod in the namespace monitoring',
    'monitoring',
    ['app', 'other'],
    { 9001: 'closed', 9002: 'closed', 9003: 'open' },
  ],
];
const servers = { mongodb: 27017, redis: 6379, ratelimit: 8081, echo: 8080 };

/** Who reaches Postern's ports, and that nobody from outside reaches what stands behind it. */
export async function tryPolicies() {
  const wrong = [];
  let tried = 0;
  const expect = async (who, namespace, label, target, port, wanted) => {
    tried += 1;
    const found = await look(namespace, label, target, port);
    if (found !== wanted) wrong.push(`${who} finds ${target}:${port} ${found}, not ${wanted}`);
  };
  for (const [who, namespace, label, expected] of callers) {
    await tryKubectl('create', 'namespace', namespace);
    for (const [port, wanted] of Object.entries(expected)) await expect(who, namespace, label, 'postern', port, wanted);
  }
  for (const [target, port] of Object.entries(servers)) {
    await expect('an Envoy in another namespace', 'partners', ['postern-client', 'true'], target, port, 'closed');
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return `${tried} of ${tried} as documented`;
}
