import { type CheckPorts } from '../../../src/check/check.ts';
import { type Clock } from '../../../src/base/clock.ts';
import { InProcessLimiter } from '../../../src/check/limit/in-process.ts';
import { type Limiter, type LimiterUnavailable } from '../../../src/check/limit/limiter.ts';
import {
  type CheckObserver,
  createCheckHandler,
  type DecidedCheck,
} from '../../../src/gateway/serving/check-handler.ts';
import type { IssuerKeys } from '../../../src/check/methods/jwt/issuer-keys.ts';
import { IssuerTokens } from '../../../src/check/methods/jwt/issuer-tokens.ts';
import { AccessTokens } from '../../../src/check/tokens/access-tokens.ts';
import { keepRevokedTokensInProcess, type RevokedTokens } from '../../../src/check/tokens/revoked-tokens.ts';
import { PeerCertificates } from '../../../src/check/methods/certificate/peer-certificates.ts';
import { InProcessReplayGuard } from '../../../src/check/replay/in-process.ts';
import { type ReplayGuard } from '../../../src/check/replay/replay-guard.ts';
import type { Catalog } from '../../../src/check/store/check-store.ts';
import { testKeyRing } from '../keyring/test-key-ring.ts';
import { type AllowedAnswer, readAnswer, type RefusedAnswer } from './answer.ts';
import { checkRequest, type RequestParts } from './check-request.ts';
import { fixedClock } from '../time/fixed-clock.ts';
import { catalogOf, type CatalogParts } from './resources.ts';

/** What a pipeline under test is made of; everything has a default. */
export interface GatewayParts extends CatalogParts {
  readonly clock?: Clock;
  readonly limiter?: Limiter;
  /** Those of `http://127.0.0.1:10000`, with the first test key, unless stated otherwise. */
  readonly tokens?: AccessTokens;
  readonly revokedTokens?: RevokedTokens;
  readonly replayGuard?: ReplayGuard;
  /** Keys of issuers that are fetched: none, unless stated otherwise. */
  readonly issuerKeys?: IssuerKeys;
  readonly onPlanNearLimit?: CheckPorts['onPlanNearLimit'];
  /** In place of the parts of a catalog. */
  readonly catalog?: () => Catalog;
}

/** A whole pipeline without a transport: requests in, answers out, and what it reported to its observer. */
export interface TestGateway {
  readonly ports: CheckPorts;
  readonly decided: readonly DecidedCheck[];
  readonly defects: readonly unknown[];
  readonly unreadable: readonly string[];
  readonly limiterFaults: readonly LimiterUnavailable[];
  /** Sends the bytes of a `CheckRequest`, or the parts of one, and reads the answer. */
  send(request?: RequestParts | Uint8Array): Promise<AllowedAnswer | RefusedAnswer>;
}

/** Builds a pipeline as the composition root does. */
export function testGateway({
  clock = fixedClock(),
  limiter,
  tokens = testTokens(clock),
  revokedTokens = keepRevokedTokensInProcess(clock),
  replayGuard = new InProcessReplayGuard(clock),
  issuerKeys = { keysOf: () => null, newerThan: () => null },
  catalog,
  onPlanNearLimit = () => undefined,
  ...parts
}: GatewayParts = {}): TestGateway {
  const decided: DecidedCheck[] = [];
  const defects: unknown[] = [];
  const unreadable: string[] = [];
  const limiterFaults: LimiterUnavailable[] = [];
  const compiled = catalog === undefined ? catalogOf(parts) : null;
  const observer: CheckObserver = {
    decided: (each) => {
      decided.push(each);
    },
    defect: (error) => {
      defects.push(error);
    },
    unreadable: (requestId) => {
      unreadable.push(requestId);
    },
  };
  const ports: CheckPorts = {
    clock,
    tokens,
    revokedTokens,
    replayGuard,
    peerCertificates: new PeerCertificates(),
    issuerTokens: new IssuerTokens({ clock, keys: issuerKeys }),
    store: { current: catalog ?? (() => compiled ?? catalogOf(parts)) },
    limiter: limiter ?? new InProcessLimiter(clock),
    onLimiterFailure: (fault) => {
      limiterFaults.push(fault);
    },
    onPlanNearLimit,
  };
  const handle = createCheckHandler({ ...ports, observer });
  return {
    ports,
    decided,
    defects,
    unreadable,
    limiterFaults,
    send: async (request = {}) =>
      readAnswer(await handle(request instanceof Uint8Array ? request : checkRequest(request))),
  };
}

/** Tokens signed with the first test key. */
export function testTokens(clock: Clock): AccessTokens {
  const ring = testKeyRing();
  return new AccessTokens({ issuer: 'http://127.0.0.1:10000', ring: () => ring, clock });
}
