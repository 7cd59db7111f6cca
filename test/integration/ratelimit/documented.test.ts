import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findServices } from '../../../services/install-services.mjs';
import { startChild } from '../../support/process/child-process.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { poll } from '../../support/time/poll.ts';
import { command } from '../../support/ratelimit/start-redis.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The lines of the shell blocks of a page that begin so. */
async function shellLines(page: string, start: string): Promise<readonly string[]> {
  const text = await readFile(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^( *)```sh\n(.*?)^\1```$/gms)].map(([, , block]) => block ?? '');
  return blocks
    .flatMap((block) => block.split('\n').map((line) => line.trim()))
    .filter((line) => line.startsWith(start));
}

/** Other ports than those of `ratelimit.env` and `redis.conf`. */
interface Ports {
  readonly redis: number;
  readonly grpc: number;
  readonly http: number;
  readonly debug: number;
  readonly metrics: number;
}

async function freePorts(): Promise<Ports> {
  return {
    redis: await freePort(),
    grpc: await freePort(),
    http: await freePort(),
    debug: await freePort(),
    metrics: await freePort(),
  };
}

/** The lines of `ratelimit.env` that have ports. */
function portSettings({ redis, grpc, http, debug, metrics }: Ports): readonly string[] {
  return [
    `REDIS_URL=127.0.0.1:${String(redis)}`,
    `GRPC_PORT=${String(grpc)}`,
    `PORT=${String(http)}`,
    `DEBUG_PORT=${String(debug)}`,
    `PROMETHEUS_ADDR=127.0.0.1:${String(metrics)}`,
  ];
}

async function waitForService({ http }: Ports): Promise<void> {
  await poll('the service', async () => {
    const answer = await fetch(`http://127.0.0.1:${String(http)}/healthcheck`).catch(() => null);
    return answer?.ok === true ? true : null;
  });
}

async function waitForRedis({ redis }: Ports): Promise<void> {
  await poll('Redis', async () => ((await command(redis, 'PING').catch(() => '')).startsWith('+PONG') ? true : null));
}

/** What doctor says of the service. */
async function examine({ grpc }: Ports): Promise<string> {
  await using folder = await temporaryDirectory();
  const file = join(folder.path, 'postern.yaml');
  await writeFile(file, 'version: 1\n');
  const { out } = await runCli(['doctor'], {
    POSTERN_STORE: `file:${file}`,
    POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(grpc)}`,
    POSTERN_RATE_LIMIT_DEADLINE_MS: '5000',
  });
  return out;
}

describe('the commands that start the rate limit service', () => {
  let env: { readonly PATH: string };

  before(async () => {
    const { ratelimit, redis } = await findServices(['ratelimit', 'redis']);
    assert.ok(ratelimit !== null && redis !== null);
    env = { PATH: [dirname(redis), dirname(ratelimit), process.env['PATH']].join(delimiter) };
  });

  it('of docs/traffic-control.md do, with nothing changed but the ports', async () => {
    const line = assertOne(await shellLines('docs/traffic-control.md', 'deploy/ratelimit/'));
    await using folder = await temporaryDirectory();
    const copy = join(folder.path, 'deploy/ratelimit');
    await cp(join(root, 'deploy/ratelimit'), copy, { recursive: true });
    const ports = await freePorts();
    for (const setting of portSettings(ports)) {
      const [name = ''] = setting.split('=', 1);
      await edit(join(copy, 'ratelimit.env'), new RegExp(`^${name}=.*$`, 'm'), setting);
    }
    await edit(join(copy, 'redis.conf'), /^port .*$/m, `port ${String(ports.redis)}`);
    await using started = await startChild({ command: join(folder.path, line), args: [], env });
    assert.ok(started.pid > 0);
    await waitForRedis(ports);
    await waitForService(ports);
    assert.match(await examine(ports), /applies the limits that it is sent/);
  });

  it('of deploy/envoy-ratelimit-filter/README.md do, with nothing changed but the ports', async () => {
    const page = 'deploy/envoy-ratelimit-filter/README.md';
    const redisLine = assertOne(await shellLines(page, 'redis-server '));
    const serviceLine = assertOne(await shellLines(page, '(set -a; . deploy/ratelimit/ratelimit.env;'));
    const run = (line: string) => startChild({ command: 'sh', args: ['-c', `cd '${root}' && exec ${line}`], env });
    const ports = await freePorts();
    await using server = await run(`${redisLine} --port ${String(ports.redis)}`);
    assert.ok(server.pid > 0);
    await waitForRedis(ports);
    const changed = serviceLine
      .replace('exec ratelimit', `${portSettings(ports).join('; ')}; exec ratelimit`)
      .replace(/^\((.*)\)$/, "sh -c '$1'");
    assert.notEqual(changed, serviceLine);
    await using service = await run(changed);
    assert.ok(service.pid > 0);
    await waitForService(ports);
    // The filter's limits are in a domain of their own, so that a Postern which asks the same service finds out.
    assert.match(await examine(ports), /its configuration lacks the domain/);
  });
});

/** Replaces the one place of a pattern in a file. */
async function edit(file: string, pattern: RegExp, text: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  assert.match(before, pattern);
  await writeFile(file, before.replace(pattern, text));
}
