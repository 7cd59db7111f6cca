import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { composeEnvoy, differences } from '../../../scripts/compose/envoy-yaml.mjs';
import { defaultEnvoyVersion } from '../../../services/install-services.mjs';
import { parseConfig } from '../../../src/gateway/config.ts';
import { projectRoot, readDocument } from '../../support/docs/documents.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string };
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly networks?: Readonly<Record<string, { readonly aliases: readonly string[] }>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const folder = 'deploy/compose';
const file = parse(readDocument(`${folder}/compose.yaml`), { merge: true }) as ComposeFile;
const services = Object.entries(file.services);

describe('deploy/compose/compose.yaml', () => {
  it('publishes ports on the loopback only', () => {
    const ports = services.flatMap(([, { ports: published = [] }]) => published);
    assert.equal(ports.length, 4);
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:\$\{PORT_\w+:-\d+\}:\d+$/);
  });

  it('gives no container more than it needs', () => {
    for (const [name, { read_only: isReadOnly, cap_drop: dropped, security_opt: options, user, image }] of services) {
      assert.equal(isReadOnly, true, name);
      assert.deepEqual(dropped, ['ALL'], name);
      assert.deepEqual(options, ['no-new-privileges:true'], name);
      assert.ok(image.includes('postern:') || /^[1-9]\d*:[1-9]\d*$/.test(user ?? ''), `${name} runs as root`);
    }
  });

  it('mounts files that exist, read-only, and volumes that are declared', () => {
    for (const [name, { volumes = [] }] of services) {
      for (const volume of volumes) {
        const [source = '', , mode] = volume.split(':');
        if (source.startsWith('.')) {
          assert.equal(mode, 'ro', `${name}: ${volume}`);
          assert.ok(existsSync(join(projectRoot, folder, source)), `${name}: ${source} does not exist`);
        } else {
          assert.ok(Object.hasOwn(file.volumes, source), `${name}: there is no volume ${source}`);
        }
      }
    }
  });

  it('runs programs of the image that are there', () => {
    const commands = services.flatMap(([, { image, command: [program = ''] = [] }]) =>
      image.includes('postern:') && program !== '' ? [program] : [],
    );
    assert.deepEqual(commands, ['dist/main.js', 'deploy/compose/setup.mjs', 'deploy/overlays/demo/echo/echo.mjs']);
    for (const program of commands) {
      const source = program === 'dist/main.js' ? 'src/main.ts' : program;
      assert.ok(statSync(join(projectRoot, source)).isFile(), program);
    }
  });

  it('depends on services that it has', () => {
    for (const [name, { depends_on: needed = [], env_file: files = [] }] of services) {
      for (const other of Array.isArray(needed) ? (needed as string[]) : Object.keys(needed)) {
        assert.ok(Object.hasOwn(file.services, other), `${name} depends on ${other}`);
      }
      for (const path of files) assert.ok(existsSync(join(projectRoot, folder, path)), path);
    }
  });

  it('names settings that Postern has, with values that it takes', () => {
    for (const name of ['postern', 'setup']) {
      const environment = file.services[name]?.environment ?? {};
      const resolved = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, value.replaceAll(/\$\{\w+:-(.*?)\}/g, '$1')]),
      );
      assert.ok(Object.keys(resolved).length >= 5);
      const read = parseConfig(resolved, { isServing: true });
      assert.ok('config' in read, JSON.stringify(read));
    }
  });

  it('runs a second process with the profile two, which differs in its port and shares the name that Envoy looks up', () => {
    const { postern, 'postern-2': second } = file.services;
    assert.ok(postern !== undefined && second !== undefined);
    const { profiles, networks, ports, ...same } = second;
    assert.deepEqual(profiles, ['two']);
    assert.deepEqual(networks, { default: { aliases: ['postern'] } });
    assert.deepEqual(ports, ['127.0.0.1:${PORT_ADMIN_2:-9005}:9003']);
    const { ports: firstPorts, ...first } = postern;
    assert.notDeepEqual(ports, firstPorts);
    assert.deepEqual(same, first);
  });

  it('runs the management API as a process of its own, beyond the loopback of its container only', () => {
    const { manage, postern } = file.services;
    assert.deepEqual(manage?.command, ['dist/main.js', 'manage']);
    const read = parseConfig(manage.environment ?? {});
    assert.ok('config' in read, JSON.stringify(read));
    assert.deepEqual(read.config.manageAddress, { kind: 'tcp', host: '0.0.0.0', port: 9004 });
    assert.equal(read.config.managePlainText, true, 'it has no certificate, and listens beyond the loopback');
    assert.deepEqual(manage.ports, ['127.0.0.1:${PORT_MANAGE:-9004}:9004']);
    assert.deepEqual(
      [manage.environment?.['POSTERN_STORE'], manage.environment?.['POSTERN_KEYRING']],
      [postern?.environment?.['POSTERN_STORE'], postern?.environment?.['POSTERN_KEYRING']],
    );
  });

  it('runs this version of Postern, and the Envoy that the tests run', () => {
    const { version } = JSON.parse(readDocument('package.json')) as { readonly version: string };
    const images = Object.fromEntries(services.map(([name, { image }]) => [name, image]));
    for (const name of ['postern', 'postern-2', 'manage', 'setup', 'backend']) {
      assert.equal(images[name], `\${IMAGE_POSTERN:-postern:${version}}`);
      assert.equal(file.services[name]?.build?.context, '../..');
    }
    assert.equal(images['envoy'], `\${IMAGE_ENVOY:-envoyproxy/envoy:v${defaultEnvoyVersion}}`);
  });
});

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The paths at which two configurations differ, with both values. */
function compare(left: Json | undefined, right: Json | undefined, path = ''): readonly string[] {
  if (typeof left === 'object' && typeof right === 'object' && left !== null && right !== null) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    const [a, b] = [left, right] as Readonly<Record<string, Json>>[];
    return [...names].flatMap((name) => compare(a?.[name], b?.[name], `${path}/${name}`));
  }
  return left === right ? [] : [`${path}: ${JSON.stringify(left)} → ${JSON.stringify(right)}`];
}

describe('deploy/compose/envoy.yaml', () => {
  const original = readDocument('envoy.yaml');
  const derived = readDocument(`${folder}/envoy.yaml`);

  it('is made from envoy.yaml: run "node scripts/compose/envoy-yaml.mjs" after a change of that', () => {
    assert.equal(derived, composeEnvoy(original));
  });

  it('differs in four addresses and nothing else', () => {
    const address = 'address/socket_address/address';
    const clusters = (index: number): string =>
      `/static_resources/clusters/${String(index)}/load_assignment/endpoints/0/lb_endpoints/0/endpoint/${address}`;
    assert.deepEqual(compare(parse(original) as Json, parse(derived) as Json), [
      `/static_resources/listeners/0/${address}: "127.0.0.1" → "0.0.0.0"`,
      `${clusters(0)}: "127.0.0.1" → "postern"`,
      `${clusters(1)}: "127.0.0.1" → "postern"`,
      `${clusters(2)}: "127.0.0.1" → "backend"`,
    ]);
  });

  it('leads to services of compose.yaml', () => {
    for (const name of ['postern', 'backend']) assert.ok(Object.hasOwn(file.services, name), name);
  });

  it('is refused to be made when a difference finds no place, or two', () => {
    const [, listener] = differences;
    assert.ok(typeof listener?.[0] === 'string');
    assert.throws(() => composeEnvoy(original.replace(String(listener[0]), 'x')), /0 times, not once/);
    assert.throws(() => composeEnvoy(`${original}\n${String(listener[0])}`), /2 times, not once/);
  });
});
