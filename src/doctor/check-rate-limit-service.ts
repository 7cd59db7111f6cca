import type { Clock } from '../clock.ts';
import { LimiterUnavailable } from '../limit/limiter.ts';
import type { RateLimitServiceSettings } from '../limit/rate-limit-service.ts';
import { RateLimitClient } from '../limit/service/rate-limit-client.ts';
import { createRateLimitRequest } from '../limit/service/rate-limit-request.ts';
import { readAnswer } from '../limit/service/read-answer.ts';
import { type FailureReason, ServiceFailure } from '../limit/service/service-failure.ts';
import { type Limit, MAX_LIMIT_REQUESTS } from '../model/limit.ts';
import { fault, fine, type Finding, warning } from './finding.ts';
import { findTlsFault } from './probe-tls.ts';

/** Longer than any sensible deadline: whether the service answers, and whether it does in time, are two findings. */
const PATIENCE_MS = 2000;
/** Begins with a hyphen, which no endpoint's id does, so that it counts with none. */
const PROBE_ID = '-doctor';
const probeLimit: Limit = { requests: MAX_LIMIT_REQUESTS, unit: 'second', per: 'endpoint' };

/**
 * Asks the rate limit service for a probe that nobody shares. It must apply the limit that it is sent: without the domain
 * in its configuration it lets everything pass. Never rejects for what the service does.
 */
export async function checkRateLimitService(
  { address, domain, deadlineMs, tls = null }: RateLimitServiceSettings,
  clock: Clock,
): Promise<readonly Finding[]> {
  const subject = `rate limit service ${address.host}:${String(address.port)}`;
  using client = new RateLimitClient(address, tls);
  const request = createRateLimitRequest(domain, { endpointId: PROBE_ID, consumerId: null, limits: [probeLimit] });
  const probe = async (): Promise<number> => {
    const startedMs = clock.nowMs();
    readAnswer(await client.ask(request, startedMs + PATIENCE_MS), [probeLimit]);
    return clock.nowMs() - startedMs;
  };
  try {
    // The first one pays for the connection.
    await probe();
    const tookMs = await probe();
    if (tookMs < deadlineMs) return [fine(subject, `applies the limits that it is sent, in the domain ${domain}`)];
    const message = `took ${String(tookMs)} ms, and may take ${String(deadlineMs)}: limits would not be counted`;
    return [warning(subject, message, 'bring it and its Redis nearer, or raise POSTERN_RATE_LIMIT_DEADLINE_MS')];
  } catch (error) {
    if (!(error instanceof LimiterUnavailable)) throw error;
    const reason = error instanceof ServiceFailure ? error.reason : 'error';
    const tlsFault = tls === null || reason === 'wrong-answer' ? null : await findTlsFault(address, tls, PATIENCE_MS);
    if (tlsFault !== null) {
      const message = `TLS with the rate limit service fails: ${tlsFault}`;
      return [fault(subject, message, 'compare its certificate with POSTERN_RATE_LIMIT_TLS_CA, _CERTIFICATE and _KEY')];
    }
    return [fault(subject, error.message, adviceFor(reason, domain))];
  }
}

function adviceFor(reason: FailureReason, domain: string): string {
  if (reason === 'wrong-answer') {
    return `put "domain: ${domain}" in its configuration, or its domain in POSTERN_RATE_LIMIT_DOMAIN; see deploy/ratelimit`;
  }
  if (reason === 'unreachable') return 'check that it runs and that this machine reaches it';
  return 'check that its Redis runs and answers';
}
