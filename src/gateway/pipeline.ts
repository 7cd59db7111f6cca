import type { Limiter } from '../check/limit/limiter.ts';
import { KeyRing } from '../model/keyring/key-ring.ts';
import { generateRingKey } from '../model/keyring/ring-content.ts';
import { audiencesOf } from './oauth2/assertion/audiences.ts';
import { issuerOf } from './oauth2/oauth2-addresses.ts';
import { createOAuth2Service, type OAuth2Service } from './oauth2/oauth2-service.ts';
import { PeerCertificates } from '../check/methods/certificate/peer-certificates.ts';
import { Throttle } from '../base/throttle.ts';
import { keepRevokedTokensInProcess } from '../check/tokens/revoked-tokens.ts';
import { AccessTokens } from '../check/tokens/access-tokens.ts';
import type { IssuerKeys } from '../check/methods/jwt/issuer-keys.ts';
import { IssuerTokens } from '../check/methods/jwt/issuer-tokens.ts';
import { ConsumerFigures } from './observe/consumer-figures.ts';
import { registerConsumerMetrics } from './observe/consumer-metrics.ts';
import { type CountTraffic, createCheckObserver, createOAuth2Observer } from './observe/request-observers.ts';
import type { LineBudget } from './observe/line-budget.ts';
import { PlanWarnings } from './observe/plan-metrics.ts';
import { registerReplayMetrics } from './observe/store-metrics.ts';
import type { Tracing } from './observe/traces/tracing.ts';
import { InProcessReplayGuard } from '../check/replay/in-process.ts';
import type { ReplayGuard } from '../check/replay/replay-guard.ts';
import { type CheckHandler, createCheckHandler } from './serving/check-handler.ts';
import type { PartPorts } from './parts.ts';
import type { GatewayStore } from './store.ts';

/** What deciding requests takes. */
export interface PipelinePorts extends PartPorts {
  readonly budget: LineBudget;
  readonly tracing: Tracing | null;
  readonly store: GatewayStore;
  readonly limiter: Limiter;
  readonly issuerKeys: IssuerKeys;
}

/** What decides requests: checks of Envoy, and those of clients of OAuth2. */
export interface Pipeline {
  readonly handleCheck: CheckHandler;
  readonly oauth2: OAuth2Service;
}

/**
 * Builds what decides checks and issues tokens; throws when the public URL cannot be an issuer. What the store does not
 * keep for all replicas, this process keeps.
 */
export function buildPipeline(ports: PipelinePorts): Pipeline {
  const { config, clock, logger, metrics, tracing, store, limiter, issuerKeys } = ports;
  const { checks, keyRing, recordUse, refusals } = store;
  const observerPorts = { logger, metrics, budget: ports.budget, recordUse, recordRefusal: refusals?.record ?? null };
  const processRing = createProcessRing(clock.nowSeconds());
  if (keyRing === null) logger.info('access tokens live as long as this process: no key ring is configured');
  const replayGuard = store.replayGuard ?? openReplayMemory(ports);
  const revokedTokens = store.revokedTokens ?? keepRevokedTokensInProcess(clock);
  const issuer = issuerOf(config.publicUrl);
  const tokens = new AccessTokens({ issuer, ring: () => keyRing?.ring ?? processRing, clock });
  const oauth2 = createOAuth2Service({
    issuer,
    bindsTokens: config.oauth2ClientCertificates,
    clock,
    tokens,
    revokedTokens,
    replayGuard,
    audiences: audiencesOf(issuer, config.oauth2AssertionAudience),
    throttle: new Throttle(clock),
    credentials: () => checks.current().credentials,
    observer: createOAuth2Observer(observerPorts),
  });
  const planWarnings = new PlanWarnings(clock, metrics.registry);
  const handleCheck = createCheckHandler({
    clock,
    store: checks,
    tokens,
    revokedTokens,
    replayGuard,
    peerCertificates: new PeerCertificates(),
    issuerTokens: new IssuerTokens({ clock, keys: issuerKeys }),
    limiter,
    onLimiterFailure: () => {
      metrics.countLimiterFailure();
    },
    onPlanNearLimit: (planId, consumerId, reading) => {
      planWarnings.note(planId, consumerId, reading);
    },
    observer: createCheckObserver({ ...observerPorts, countTraffic: trafficCounter(ports) }),
    startTrace: tracing?.startTrace ?? null,
  });
  return { handleCheck, oauth2 };
}

/** Counts requests for `postern usage`, and for the metrics by consumer where these are asked for. */
function trafficCounter({ config, clock, metrics, store: { countTraffic } }: PipelinePorts): CountTraffic {
  if (config.consumerMetrics === 0) return countTraffic;
  const figures = new ConsumerFigures(config.consumerMetrics);
  registerConsumerMetrics(metrics.registry, figures);
  return (endpointId, consumerId, code, seconds) => {
    countTraffic(endpointId, consumerId, code, seconds);
    if (consumerId !== null) figures.count(endpointId, consumerId, code, seconds, clock.nowSeconds());
  };
}

/** A ring with one random key, for a process that was given none: its tokens end with it. */
function createProcessRing(nowSeconds: number): KeyRing {
  const key = generateRingKey(nowSeconds);
  return new KeyRing({ currentKeyId: key.id, stagedKeyId: null, keys: [key] });
}

/** Used signatures where no database remembers them. */
function openReplayMemory({ clock, logger, metrics }: PipelinePorts): ReplayGuard {
  const guard = new InProcessReplayGuard(clock);
  registerReplayMetrics(metrics.registry, guard);
  logger.info('used signatures and assertions are remembered by this process only: replicas do not share them');
  return guard;
}
