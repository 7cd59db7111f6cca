import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
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

describe('the commands that start the rate limit service', () => {
  for (const [page, domain] of [
    ['docs/traffic-control.md', 'postern'],
    ['deploy/envoy-ratelimit-filter/README.md', 'partners'],
  ] as const) {
    it(`of ${page} do, with nothing changed but the ports`, async () => {
      const { ratelimit, redis } = await findServices(['ratelimit', 'redis']);
      assert.ok(ratelimit !== null && redis !== null);
      const redisLine = assertOne(await shellLines(page, 'redis-server '));
      const serviceLine = assertOne(await shellLines(page, '(set -a; . deploy/ratelimit/ratelimit.env;'));
      const env = { PATH: [dirname(redis), dirname(ratelimit), process.env['PATH']].join(delimiter) };
      const run = (line: string) => startChild({ command: 'sh', args: ['-c', `cd '${root}' && exec ${line}`], env });

      const redisPort = await freePort();
      await using server = await run(`${redisLine} --port ${String(redisPort)}`);
      await poll('Redis', async () =>
        (await command(redisPort, 'PING').catch(() => '')).startsWith('+PONG') ? true : null,
      );
      assert.ok(server.pid > 0);
      const [grpc, http, debug, metrics] = [await freePort(), await freePort(), await freePort(), await freePort()].map(
        String,
      );
      const ports = `REDIS_URL=127.0.0.1:${String(redisPort)}; GRPC_PORT=${String(grpc)}; PORT=${String(http)}; DEBUG_PORT=${String(debug)}; PROMETHEUS_ADDR=127.0.0.1:${String(metrics)};`;
      const changed = serviceLine
        .replace('exec ratelimit', `${ports} exec ratelimit`)
        .replace(/^\((.*)\)$/, "sh -c '$1'");
      assert.notEqual(changed, serviceLine);
      await using service = await run(changed);
      assert.ok(service.pid > 0);
      await poll('the service', async () => {
        const answer = await fetch(`http://127.0.0.1:${String(http)}/healthcheck`).catch(() => null);
        return answer?.ok === true ? true : null;
      });

      await using folder = await temporaryDirectory();
      const file = join(folder.path, 'postern.yaml');
      await writeFile(file, 'version: 1\n');
      const { out } = await runCli(['doctor'], {
        POSTERN_STORE: `file:${file}`,
        POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(grpc)}`,
        POSTERN_RATE_LIMIT_DEADLINE_MS: '5000',
      });
      // The filter's limits are in a domain of their own, so that a Postern which asks the same service finds out.
      const isPosterns = domain === 'postern';
      assert.match(out, isPosterns ? /applies the limits that it is sent/ : /its configuration lacks the domain/);
    });
  }
});
