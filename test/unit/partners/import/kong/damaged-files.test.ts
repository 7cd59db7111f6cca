import assert from 'node:assert/strict';
import { importKong } from '../../../../../src/partners/import/kong/import-kong.ts';
import { isGroupGrant } from '../../../../../src/model/grant.ts';
import type { Declared } from '../../../../../src/resources/declared.ts';
import { parseDocument } from '../../../../../src/resources/parse-document.ts';
import { compileEndpointTable } from '../../../../../src/check/route/endpoint-table.ts';
import { undecided } from './import-text.ts';
import { kongModel, type ModelCaller } from './kong-file-model.ts';
import type { ModelRequest } from './kong-model.ts';

/** Everything that keeps somebody out, in every place where it may stand. */
const protectedFile = {
  _format_version: '3.0',
  _info: { defaults: { route: { strip_path: false } } },
  _plugin_configs: { partners: { deny: ['blocked'] } },
  services: [
    {
      name: 'parcels',
      url: 'http://parcels.internal',
      enabled: true,
      plugins: [{ name: 'key-auth', config: { key_names: ['x-key'], key_in_query: false } }],
      routes: [
        { name: 'parcels', paths: ['/parcels'], methods: ['GET'] },
        {
          name: 'admin',
          paths: ['/parcels/admin'],
          plugins: [{ name: 'acl', enabled: true, config: { allow: ['staff'] } }],
        },
      ],
    },
    {
      name: 'orders',
      host: 'orders.internal',
      routes: [
        { name: 'orders', hosts: ['api.example.com'], paths: ['/orders'], plugins: [{ name: 'hmac-auth' }] },
        {
          name: 'secret',
          paths: ['/open/secret'],
          plugins: [{ name: 'ip-restriction', config: { allow: ['10.0.0.1'] } }],
        },
        { name: 'ended', paths: ['/open/ended'], plugins: [{ name: 'request-termination' }] },
      ],
    },
    { name: 'off', host: 'off.internal', enabled: false, routes: [{ name: 'off', paths: ['/off'] }] },
  ],
  routes: [
    { name: 'open', paths: ['/open'] },
    { name: 'stock', service: 'orders', paths: ['/stock'], methods: ['GET', 'POST'], hosts: ['*.example.com'] },
    { name: 'read', paths: ['/parcels/read'], service: 'parcels' },
    { name: 'lax', paths: ['/stock'], plugins: [{ name: 'key-auth' }] },
  ],
  plugins: [
    { name: 'acl', service: 'parcels', _config: 'partners' },
    { name: 'key-auth', route: 'stock' },
    { name: 'acl', route: 'stock', config: { allow: ['staff'] } },
    { name: 'request-termination', service: 'parcels', consumer: 'late' },
    { name: 'http-log', config: { http_endpoint: 'http://logs' } },
  ],
  consumers: [
    { username: 'boss', acls: [{ group: 'staff' }], keyauth_credentials: [{ key: 'key-of-boss' }] },
    { username: 'partner', keyauth_credentials: [{ key: 'key-of-partner' }] },
    { username: 'bad', acls: [{ group: 'blocked' }], keyauth_credentials: [{ key: 'key-of-bad' }] },
    {
      username: 'ended',
      plugins: [{ name: 'request-termination', enabled: true }],
      acls: [{ group: 'staff' }],
      keyauth_credentials: [{ key: 'key-of-ended' }],
      hmacauth_credentials: [{ username: 'ended', secret: 'the-secret-of-ended' }],
    },
    { username: 'late', keyauth_credentials: [{ key: 'key-of-late' }] },
    { username: 'grouped', groups: [{ name: 'slow' }], keyauth_credentials: [{ key: 'key-of-grouped' }] },
  ],
  consumer_groups: [{ name: 'slow', plugins: [{ name: 'request-termination' }] }],
  keyauth_credentials: [{ consumer: 'bad', key: 'key-two-of-bad' }],
  hmacauth_credentials: [{ consumer: 'partner', username: 'partner', secret: 'the-secret-of-partner' }],
  acls: [{ consumer: 'bad', group: 'staff' }],
};

const names = ['boss', 'partner', 'bad', 'ended', 'late', 'grouped'];
const callers: readonly ModelCaller[] = [
  null,
  ...names.map((name) => ({ key: `key-of-${name}`, header: 'x-key' })),
  ...['key-of-boss', 'key-of-bad', 'key-two-of-bad'].map((key) => ({ key, header: 'apikey' })),
  { key: 'key-two-of-bad', header: 'x-key' },
  ...['partner', 'ended'].map((username) => ({ username, secret: `the-secret-of-${username}` })),
];
const requests: readonly ModelRequest[] = ['api.example.com', 'other.org'].flatMap((host) =>
  [
    ...['/', '/parcels', '/parcels/7', '/parcels/admin', '/parcels/read', '/orders/1', '/open', '/open/secret'],
    ...['/open/ended/x', '/off', '/stock'],
  ].flatMap((path) => ['GET', 'PUT'].map((method) => ({ host, path, method, hasHeader: false }))),
);

type LetsIn = (asked: ModelRequest, caller: ModelCaller) => boolean;

/** What was imported before, by its text: most damages have an effect that another one has, too. */
const known = new Map<string, LetsIn>();

/** Who gets in with what is imported of a file; nobody where nothing is. */
function importedOf(file: unknown): LetsIn {
  const result = importKong({ file: 'kong.yaml', text: JSON.stringify(file) }, undecided);
  if ('problems' in result) return () => false;
  const { endpoints, consumers, grants } = result.imported;
  const text = JSON.stringify({ version: 1, endpoints, consumers, grants });
  const letsIn = known.get(text) ?? readImported(text, consumers);
  known.set(text, letsIn);
  return letsIn;
}

function readImported(text: string, consumers: readonly Declared[]): LetsIn {
  const read = { isComplete: true, readSecret: () => ({ text: 'a secret that is kept elsewhere' }) };
  const parsed = parseDocument([{ file: 'document', text }], read);
  assert.ok('content' in parsed, JSON.stringify(parsed));
  const { content } = parsed;
  const table = compileEndpointTable(content.endpoints);
  const enabled = consumers.filter((consumer) => consumer['enabled'] !== false);
  const credentials = enabled.flatMap(({ id, credentials: list }) =>
    ((list ?? []) as readonly Readonly<Record<string, unknown>>[]).map((credential) => ({ consumer: id, credential })),
  );
  return (asked, caller) => {
    const endpoint = table.find(asked.host, asked.path, asked.method);
    if (endpoint?.enabled !== true) return false;
    if (endpoint.scenario === 'open') return true;
    if (caller === null) return false;
    const isKey = 'key' in caller;
    if (endpoint.authentication !== (isKey ? 'key' : 'hmac')) return false;
    if (isKey && !JSON.stringify(endpoint.options).includes(`"header":"${caller.header}"`)) return false;
    const appKey = isKey ? caller.key : caller.username;
    const found = credentials.find(({ credential }) => {
      return credential['appKey'] === appKey && (isKey || credential['appSecret'] === caller.secret);
    });
    if (found === undefined) return false;
    const isGranted = content.grants.some((grant) => {
      return !isGroupGrant(grant) && grant.endpointId === endpoint.id && grant.consumerId === found.consumer;
    });
    return endpoint.accessCondition === 'authenticated' || isGranted;
  };
}

type Path = readonly (string | number)[];

/** The paths of all values below. */
function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  const below = steps.flatMap((step) => pathsIn((value as Record<string | number, unknown>)[step], [...path, step]));
  return path.length === 0 ? below : [path, ...below];
}

/** A copy in which the value of a path was deleted, its key renamed, or something else put in its place. */
function damaged(path: Path, damage: { readonly rename?: string; readonly put?: (value: unknown) => unknown }): object {
  const copy = structuredClone(protectedFile) as unknown as Record<string, unknown>;
  let parent = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  const value = parent[last];
  if (damage.put !== undefined) {
    parent[last] = damage.put(value);
    return copy;
  }
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else Reflect.deleteProperty(parent, last);
  if (damage.rename !== undefined) parent[damage.rename] = value;
  return copy;
}

const placeholders = [
  '${NAME}',
  '$NAME',
  '${{ env "DECK_NAME" }}',
  '{{ .Values.name }}',
  '{vault://env/name}',
  '<%= name %>',
  '#{name}',
  '@NAME@',
  '__NAME__',
];

describe('a protected configuration of Kong', () => {
  const kong = kongModel(protectedFile);
  assert.ok(kong !== null);
  const before = requests.map((asked) => callers.map((caller) => kong(asked, caller)));
  const paths = pathsIn(protectedFile);

  /** What a file lets in that it should not, one for each damage. */
  const excess = (what: string, file: object, isStillKongs: boolean): readonly string[] => {
    const letsIn = importedOf(file);
    const model = isStillKongs ? kongModel(file as Record<string, unknown>) : null;
    for (const [index, asked] of requests.entries()) {
      for (const [number, caller] of callers.entries()) {
        if (!letsIn(asked, caller)) continue;
        const isRight = model === null ? before[index]?.[number] === true : model(asked, caller);
        if (!isRight) return [`${what}: ${JSON.stringify([asked, caller])}`];
      }
    }
    return [];
  };

  it('lets in some, and nobody whom Kong keeps out', () => {
    const letsIn = importedOf(protectedFile);
    const letIn = requests.flatMap((asked) => callers.filter((caller) => letsIn(asked, caller)));
    assert.ok(letIn.length > 20, String(letIn.length));
    assert.deepEqual(excess('as it is', protectedFile, true), []);
  });

  it('lets nobody else in when any part of it is deleted', () => {
    assert.deepEqual(
      paths.flatMap((path) => excess(path.join('.'), damaged(path, {}), true)),
      [],
    );
  });

  it('lets nobody else in when any key of it is misspelt', () => {
    const renamed = paths.flatMap((path) => {
      const key = path.at(-1);
      if (typeof key !== 'string') return [];
      return [`${key}x`, key.slice(1), `_${key}`].map((rename) => ({ path, rename }));
    });
    assert.deepEqual(
      renamed.flatMap(({ path, rename }) => excess(`${path.join('.')} ${rename}`, damaged(path, { rename }), false)),
      [],
    );
  });

  it('lets nobody else in when a placeholder stands for any part of it', () => {
    const found = paths.flatMap((path, index) => {
      const placeholder = placeholders[index % placeholders.length] ?? '';
      const whole = damaged(path, { put: () => placeholder });
      const listed = damaged(path, { put: () => [placeholder] });
      const part = damaged(path, {
        put: (value) => {
          if (typeof value !== 'string') return { [placeholder]: value };
          return index % 2 === 0 ? value + placeholder : placeholder + value;
        },
      });
      return [whole, listed, part].flatMap((file) => excess(`${path.join('.')} ${placeholder}`, file, false));
    });
    assert.deepEqual(found, []);
    assert.ok(paths.length > 150, String(paths.length));
  });
});
