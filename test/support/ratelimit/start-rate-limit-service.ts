import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findServices } from '../../../scripts/install-services.mjs';
import { freePort } from '../mongodb/free-port.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));

/**
 * Starts Envoy's rate limit service with the committed configuration, on free ports and this Redis. `runtimeRoot` is the
 * folder with `ratelimit/config/` in it; `more` comes on top of the environment.
 */
export async function startRateLimitService(
  redisPort: number,
  runtimeRoot = deploy,
  more: Readonly<Record<string, string>> = {},
): Promise<LocalServer> {
  const { ratelimit } = await findServices(['ratelimit']);
  if (ratelimit === null) {
    throw new Error('the rate limit service is not installed: scripts/install-services ratelimit');
  }
  const port = await freePort();
  const httpPort = await freePort();
  return await startLocalServer({
    name: 'the rate limit service',
    command: ratelimit,
    args: [],
    env: {
      ...parseEnvironment(await readFile(`${deploy}ratelimit/ratelimit.env`, 'utf8')),
      RUNTIME_ROOT: runtimeRoot,
      PROMETHEUS_MAPPER_YAML: `${deploy}ratelimit/mapper.yaml`,
      REDIS_URL: `127.0.0.1:${String(redisPort)}`,
      GRPC_PORT: String(port),
      PORT: String(httpPort),
      DEBUG_PORT: String(await freePort()),
      PROMETHEUS_ADDR: `127.0.0.1:${String(await freePort())}`,
      ...more,
    },
    port,
    answers: async () => {
      const answer = await fetch(`http://127.0.0.1:${String(httpPort)}/healthcheck`).catch(() => null);
      return answer?.ok === true;
    },
  });
}

/** The variables of `deploy/ratelimit/tls.env`, for a Secret that is mounted at this path. */
export async function tlsEnvironment(secretPath: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(`${deploy}ratelimit/tls.env`, 'utf8');
  return parseEnvironment(text.replaceAll('/etc/ratelimit/tls', secretPath));
}

function parseEnvironment(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Z_]+=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
