import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findServices } from '../../../services/install-services.mjs';
import { packageFiles, parseEnvironment, rateLimitServiceStart } from '../../../src/cli/programs/servers.ts';
import { freePorts } from '../../../src/cli/programs/free-ports.ts';
import { type LocalServer, startLocalServer } from '../process/local-server.ts';

/**
 * Starts Envoy's rate limit service with the committed configuration, on free ports and this Redis. `runtimeRoot` is
 * the folder with `ratelimit/config/` in it; `more` comes on top of the environment.
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
  const [rateLimitGrpc = 0, rateLimitHttp = 0, rateLimitDebug = 0, rateLimitMetrics = 0] = await freePorts(4);
  const ports = { redis: redisPort, rateLimitGrpc, rateLimitHttp, rateLimitDebug, rateLimitMetrics };
  const start = await rateLimitServiceStart(ratelimit, ports, process.env['PATH']);
  const environment = { ...start.environment, RUNTIME_ROOT: runtimeRoot, ...more };
  return await startLocalServer({ ...start, environment }, rateLimitGrpc);
}

/** The variables of `deploy/ratelimit/tls.env`, for a Secret that is mounted at this path. */
export async function tlsEnvironment(secretPath: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(packageFiles.deploy, 'ratelimit/tls.env'), 'utf8');
  return parseEnvironment(text.replaceAll('/etc/ratelimit/tls', secretPath));
}
