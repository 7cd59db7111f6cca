import { connect } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { ServiceAddress } from '../../base/config-values.ts';
import { LimiterUnavailable } from '../../check/limit/limiter.ts';
import type { RateLimitServiceSettings } from '../../stores/rate-limit-service/rate-limit-service.ts';
import { RateLimitClient } from '../../stores/rate-limit-service/rate-limit-client.ts';
import { type FailureReason, ServiceFailure } from '../../stores/rate-limit-service/service-failure.ts';
import { type Limit, MAX_LIMIT_REQUESTS } from '../../model/limit.ts';
import { secureContextOptions } from '../../wire/tls/secure-context.ts';
import { describeTlsFault } from '../../wire/tls/tls-faults.ts';
import type { TlsMaterial } from '../../wire/tls/tls-files.ts';
import { fault, fine, type Finding, warning } from '../../base/finding.ts';

/** Longer than any sensible deadline: whether the service answers, and whether it does in time, are two findings. */
const PATIENCE_MS = 2000;
/** Begins with a hyphen, which no endpoint's id does, so that it counts with none. */
const PROBE_ID = '-doctor';
const probeLimit: Limit = { requests: MAX_LIMIT_REQUESTS, unit: 'second', per: 'endpoint' };

/**
 * Asks the rate limit service for a probe that no caller shares. It must apply the limit that it is sent: without the
 * domain in its configuration it lets everything pass. Never rejects for what the service does.
 */
export async function checkRateLimitService(
  settings: RateLimitServiceSettings,
  clock: Clock,
): Promise<readonly Finding[]> {
  const { address, domain, deadlineMs, tls = null } = settings;
  const subject = `rate limit service ${address.host}:${String(address.port)}`;
  using client = new RateLimitClient(settings, clock);
  const probe = async (): Promise<number> => {
    const startedMs = clock.nowMs();
    await client.count({ endpointId: PROBE_ID, consumerId: null, limits: [probeLimit] }, startedMs + PATIENCE_MS);
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

/** The client's side of an HTTP/2 connection (RFC 9113 §3.4), which every server answers. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

/**
 * Why TLS with an HTTP/2 server fails, for people; null when it works, or when the reason is not TLS. It waits for the
 * server's first words: with TLS 1.3 a server judges the client's certificate after the client's handshake.
 */
async function findTlsFault(
  { host, port }: ServiceAddress,
  material: TlsMaterial,
  patienceMs: number,
): Promise<string | null> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, ...secureContextOptions(material), ALPNProtocols: ['h2'] });
    const end = (fault: string | null): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.setTimeout(patienceMs, () => {
      end(null);
    });
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol === 'h2') socket.write(PREFACE);
      else end('it does not offer HTTP/2 (ALPN h2)');
    });
    socket.once('data', () => {
      end(null);
    });
    socket.once('close', () => {
      end(null);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const meaning = describeTlsFault(error.code ?? '');
      end(meaning === null ? null : `${meaning} (${error.code ?? ''})`);
    });
  });
}
