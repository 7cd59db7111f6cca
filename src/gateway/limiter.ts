import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { InProcessLimiter } from '../limit/in-process.ts';
import type { Limiter } from '../limit/limiter.ts';
import { RateLimitServiceLimiter } from '../limit/service/rate-limit-service.ts';
import { createLimiterObserver, LimiterMetrics } from '../observe/limiter-observer.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createTlsObserver, type TlsMetrics } from '../observe/tls-observer.ts';
import { rateLimitFiles } from '../tls/configured-files.ts';
import { followTlsFiles, openTlsFiles } from '../tls/follow-tls-files.ts';
import { OwnedParts } from './owned-parts.ts';

/** What opening takes. */
export interface GatewayLimiterPorts {
  readonly config: Pick<
    Config,
    | 'rateLimitService'
    | 'rateLimitDomain'
    | 'rateLimitDeadlineMs'
    | 'rateLimitTlsCa'
    | 'rateLimitTlsCertificate'
    | 'rateLimitTlsKey'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tlsMetrics: TlsMetrics;
}

/** What a gateway counts limits with, and how that ends. */
export interface GatewayLimiter extends AsyncDisposable {
  readonly limiter: Limiter;
}

/**
 * Opens the limiter of the configuration, and says which it is. A rate limit service that is unreachable is no hindrance; TLS
 * files that cannot be used are: rejects, naming setting and file. Later changes of the files are followed.
 */
export async function openGatewayLimiter(ports: GatewayLimiterPorts): Promise<GatewayLimiter> {
  const { config, clock, logger, metrics } = ports;
  const { rateLimitService: address, rateLimitDomain: domain, rateLimitDeadlineMs: deadlineMs } = config;
  if (address === null) {
    logger.info('limits are kept in this process: no rate limit service is configured');
    return { limiter: new InProcessLimiter(clock), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const files = rateLimitFiles(config);
  const opened = files === null ? null : await openTlsFiles(files);
  const fields = { ...address, domain, deadlineMs, tls: opened !== null };
  logger.info('limits are kept by the rate limit service', fields);
  const observer = createLimiterObserver(logger, new LimiterMetrics(metrics.registry));
  const tls = opened?.material ?? null;
  const parts = new OwnedParts();
  const limiter = parts.own(new RateLimitServiceLimiter({ address, domain, deadlineMs, tls }, { clock, observer }));
  if (opened !== null) {
    const tlsObserver = createTlsObserver('rate-limit-service', {
      logger,
      metrics: ports.tlsMetrics,
      nowMs: () => clock.nowSeconds() * 1000,
    });
    tlsObserver.opened(opened.material);
    parts.own(
      followTlsFiles(opened, {
        replace: (material) => {
          limiter.replaceTls(material);
        },
        observer: tlsObserver,
        clock,
      }),
    );
  }
  return { limiter, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
}
