import { LASTING_WITHOUT_SERVICE, SHARE_LIMITS } from '../check/limit/lasting-limits.ts';
import { InProcessLimiter } from '../check/limit/in-process.ts';
import type { Limiter } from '../check/limit/limiter.ts';
import { createLimiterObserver } from './observe/limiter-observer.ts';
import { rateLimitFiles } from './configured-files.ts';
import type { OwnedParts, PartPorts } from './parts.ts';
import { openTls } from './tls.ts';

/**
 * Opens the limiter of the configuration, and logs which it is. The rate limit service may be
 * unreachable. Rejects, naming setting and file, when its TLS files cannot be used; later changes of them are followed.
 */
export async function openGatewayLimiter(
  ports: Pick<PartPorts, 'config' | 'clock' | 'logger' | 'metrics'>,
  parts: OwnedParts,
): Promise<Limiter> {
  const { config, clock, logger, metrics } = ports;
  const { rateLimitService: address, rateLimitDomain: domain, rateLimitDeadlineMs: deadlineMs } = config;
  if (address === null) {
    const note = `limits ${LASTING_WITHOUT_SERVICE}: ${SHARE_LIMITS}`;
    logger.info('limits are kept in this process: no rate limit service is configured', { note });
    return new InProcessLimiter(clock);
  }
  const { RateLimitServiceLimiter } = await import('../stores/rate-limit-service/rate-limit-service.ts');
  const tls = await openTls('rate-limit-service', rateLimitFiles(config), ports);
  logger.info('limits are kept by the rate limit service', { ...address, domain, deadlineMs, tls: tls !== null });
  const observer = createLimiterObserver(logger, metrics.registry);
  const limiter = parts.own(
    new RateLimitServiceLimiter(
      { address, domain, deadlineMs, tls: tls?.material ?? null, transport: config.grpcTransport },
      { clock, observer },
    ),
  );
  parts.own(
    tls?.follow((material) => {
      limiter.replaceTls(material);
    }) ?? null,
  );
  return limiter;
}
