// Who may reach which port: pods that try.
import { get, kubectl, podsOf, tryKubectl, until } from './cluster.mjs';

/**
 * Says on standard output whether an address and port are open. It tries for ten seconds: what enforces policies
 * learns of a pod after its start, and refuses it until then.
 */
const probe = `
const { connect } = require('node:net');
const end = (text) => { console.log(text); process.exit(); };
const attempt = () => {
  const socket = connect(Number(process.argv[2]), process.argv[1]);
  socket.on('connect', () => end('open')).on('error', () => setTimeout(attempt, 500));
};
attempt();
setTimeout(() => end('closed'), 10_000);
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
  const name = `probe-${label}-${target}-${port}`;
  const flags = [`--namespace=${namespace}`];
  const container = {
    name: 'probe',
    image: 'postern:0.2.0',
    args: ['-e', probe, status.podIP, String(port)],
    securityContext: restricted,
  };
  const overrides = { apiVersion: 'v1', spec: { containers: [container], restartPolicy: 'Never' } };
  const pod = [name, '--image=postern:0.2.0', '--restart=Never', `--labels=${label}=${value}`];
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
  // The first: nobody from outside, whatever the label.
  [
    'a pod with the label of Envoys in another namespace',
    'partners',
    ['postern-client', 'true'],
    { 9001: 'closed', 9002: 'closed', 9003: 'closed' },
  ],
  ['an Envoy', 'postern', ['postern-client', 'true'], { 9001: 'open', 9002: 'open', 9003: 'closed' }],
  [
    "a gateway of Istio's overlay",
    'istio-partners',
    ['istio', 'partners'],
    { 9001: 'open', 9002: 'open', 9003: 'closed' },
  ],
  [
    'a pod with the label of that gateway in another namespace',
    'partners',
    ['istio', 'partners'],
    { 9001: 'closed', 9002: 'closed', 9003: 'closed' },
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
  const outsider = callers[0];
  const wanted = [
    ...callers.flatMap(([who, namespace, label, ports]) =>
      Object.entries(ports).map(([port, expected]) => ({ who, namespace, label, target: 'postern', port, expected })),
    ),
    ...Object.entries(servers).map(([target, port]) => {
      const [who, namespace, label] = outsider;
      return { who, namespace, label, target, port, expected: 'closed' };
    }),
  ];
  for (const [, namespace] of callers) await tryKubectl('create', 'namespace', namespace);
  const looks = wanted.map(async ({ who, namespace, label, target, port, expected }) => {
    const found = await look(namespace, label, target, port);
    return found === expected ? [] : [`${who} finds ${target}:${port} ${found}, not ${expected}`];
  });
  const wrong = (await Promise.all(looks)).flat();
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return `${wanted.length} of ${wanted.length} as documented`;
}
