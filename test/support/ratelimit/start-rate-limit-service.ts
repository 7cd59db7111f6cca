import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findServices } from '../../../services/install-services.mjs';
import { packageFiles, parseEnvironment, rateLimitServiceStart } from '../../../src/demo/programs.ts';
import { freePort } from '../process/free-port.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';

/**
 * Starts Envoy's rate limit service with the committed configuration, on free ports and this Redis. `runtimeRoot` is the
 * folder with `ratelimit/config/` in it; `more` comes on top of the environment.
 */
export async function startRateLimitService(
  redisPort: number,
  runtimeRoot: string = packageFiles.deploy,
  more: Readonly<Record<string, string>> = {},
): Promise<LocalServer> {
  const { ratelimit } = await findServices(['ratelimit']);
  if (ratelimit === null) {
    throw new Error('the rate limit service is not installed: scripts/install-services ratelimit');
  }
  const ports = {
    redis: redisPort,
    rateLimitGrpc: await freePort(),
    rateLimitHttp: await freePort(),
    rateLimitDebug: await freePort(),
    rateLimitMetrics: await freePort(),
  };
  const start = await rateLimitServiceStart(ratelimit, ports, process.env['PATH']);
  const environment = { ...start.environment, RUNTIME_ROOT: runtimeRoot, ...more };
  return await startLocalServer({ ...start, environment }, ports.rateLimitGrpc);
}

/** The variables of `deploy/ratelimit/tls.env`, for a Secret that is mounted at this path. */
export async function tlsEnvironment(secretPath: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(packageFiles.deploy, 'ratelimit/tls.env'), 'utf8');
  return parseEnvironment(text.replaceAll('/etc/ratelimit/tls', secretPath));
}
