import { type Clock, type StartTimer, waitAtMost } from '../../base/clock.ts';
import type { Pending } from '../../base/pending.ts';
import type { IssuerKeys } from '../../check/methods/jwt/issuer-keys.ts';
import type { IssuerTable } from '../../check/store/check-store.ts';
import type { CompiledIssuer, IssuerKey } from '../../model/issuer.ts';
import { FetchFailure } from './fetch-failure.ts';
import type { FetchedKeys } from './fetch-jwks.ts';
import { refreshAfterMs, retryAfterMs } from './refresh-times.ts';

/** How often the issuers of the store are looked at. */
const FOLLOW_MS = 1000;
/** How often a token whose key is not among those of its issuer makes it be asked, in milliseconds. */
const ASK_ANEW_MS = 60_000;
/** How long a check waits for keys at most: below the 5 s that Envoy waits. */
const PATIENCE_MS = 3000;
/** Checks that wait for keys at once; others are answered by what there is. */
export const MAX_WAITING = 1000;

/** What is told of fetches. Nothing here throws. */
export interface IssuerKeysObserver {
  fetched(issuerId: string, keys: FetchedKeys, isChanged: boolean): void;
  /** `hasKeys`: those that were fetched before stay in force. `isFirst`: the fetch before this one was good. */
  failed(
    issuerId: string,
    failure: FetchFailure,
    state: { readonly hasKeys: boolean; readonly isFirst: boolean },
  ): void;
  /** A fetch was good after others had failed. */
  recovered(issuerId: string): void;
  /** The program itself was wrong. */
  defect(error: unknown): void;
  /** The issuer is gone, or has its keys elsewhere. */
  forgotten(issuerId: string): void;
}

/** What fetching the keys of issuers takes. */
export interface FetchedIssuerKeysPorts {
  /** Rejects with a {@link FetchFailure}. */
  readonly fetch: (jwksUri: string, stop: AbortSignal) => Promise<FetchedKeys>;
  /** The issuers now; null while the store was not read. */
  readonly issuers: () => IssuerTable | null;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly startTimer: StartTimer;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly observer: IssuerKeysObserver;
}

/** One issuer whose keys are fetched. */
interface Followed {
  readonly issuerId: string;
  readonly jwksUri: string;
  readonly stop: AbortController;
  keys: readonly IssuerKey[] | null;
  fetchedAtMs: number | null;
  /** In a row. */
  failures: number;
  underWay: Promise<void> | null;
  /** When a token with an unknown key last made it be asked. */
  askedAnewMs: number;
  cancelTimer: () => void;
}

/**
 * Keeps the keys of the store's issuers at hand: fetched when an issuer appears, again before they are out of date, and
 * when a token names a key that is not among them. The last good keys stay in force while an issuer cannot be asked;
 * those of an issuer that is gone, disabled or has its keys elsewhere are forgotten at once, and within a second from
 * memory.
 */
export class FetchedIssuerKeys implements IssuerKeys, Disposable {
  readonly #ports: FetchedIssuerKeysPorts;
  readonly #followed = new Map<string, Followed>();
  #waiting = 0;
  #isDisposed = false;
  #cancelTimer: () => void = () => undefined;

  constructor(ports: FetchedIssuerKeysPorts) {
    this.#ports = ports;
    this.#follow();
  }

  keysOf({ id, keys }: CompiledIssuer): readonly IssuerKey[] | null {
    const followed = this.#followed.get(id);
    return keys.kind === 'uri' && followed?.jwksUri === keys.jwksUri ? followed.keys : null;
  }

  newerThan(known: readonly IssuerKey[] | null, issuer: CompiledIssuer): Pending<readonly IssuerKey[] | null> {
    const followed = this.#followedOf(issuer);
    if (followed === null || followed.keys !== known) return followed?.keys ?? null;
    const underWay = followed.underWay ?? (known === null ? null : this.#askAnew(followed));
    if (underWay === null || this.#waiting >= MAX_WAITING) return known;
    return this.#wait(underWay).then(() => followed.keys);
  }

  /** Since when the keys of each issuer have been in memory, in whole seconds; of those that have some. */
  agesSeconds(): Readonly<Record<string, number>> {
    const nowMs = this.#ports.clock.nowMs();
    const ages: Record<string, number> = {};
    for (const { issuerId, fetchedAtMs } of this.#followed.values()) {
      if (fetchedAtMs !== null) ages[issuerId] = Math.floor((nowMs - fetchedAtMs) / 1000);
    }
    return ages;
  }

  /** Ends all fetches. */
  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#cancelTimer();
    for (const followed of this.#followed.values()) this.#forget(followed);
  }

  #follow(): void {
    const issuers = this.#ports.issuers();
    if (issuers !== null) {
      const now = new Map(issuers.all.map((issuer) => [issuer.id, issuer]));
      for (const followed of this.#followed.values()) {
        const keys = now.get(followed.issuerId)?.keys;
        if (keys?.kind !== 'uri' || keys.jwksUri !== followed.jwksUri) this.#forget(followed);
      }
      for (const issuer of issuers.all) this.#followedOf(issuer);
    }
    this.#cancelTimer = this.#ports.startTimer(FOLLOW_MS, () => {
      this.#follow();
    });
  }

  /** Begins to follow an issuer that is new, or has its keys at another address now. */
  #followedOf({ id: issuerId, keys }: CompiledIssuer): Followed | null {
    if (keys.kind !== 'uri' || this.#isDisposed) return null;
    const { jwksUri } = keys;
    const former = this.#followed.get(issuerId);
    if (former?.jwksUri === jwksUri) return former;
    if (former !== undefined) this.#forget(former);
    const followed: Followed = {
      issuerId,
      jwksUri,
      stop: new AbortController(),
      keys: null,
      fetchedAtMs: null,
      failures: 0,
      underWay: null,
      askedAnewMs: -Infinity,
      cancelTimer: () => undefined,
    };
    this.#followed.set(issuerId, followed);
    void this.#begin(followed);
    return followed;
  }

  #forget(followed: Followed): void {
    followed.cancelTimer();
    followed.stop.abort();
    this.#followed.delete(followed.issuerId);
    this.#ports.observer.forgotten(followed.issuerId);
  }

  /** For a token whose key is not known; null where that was done a short while ago. */
  #askAnew(followed: Followed): Promise<void> | null {
    const nowMs = this.#ports.clock.nowMs();
    if (nowMs - followed.askedAnewMs < ASK_ANEW_MS) return null;
    followed.askedAnewMs = nowMs;
    return this.#begin(followed);
  }

  #begin(followed: Followed): Promise<void> {
    followed.cancelTimer();
    const underWay = this.#fetch(followed).finally(() => {
      followed.underWay = null;
    });
    followed.underWay = underWay;
    return underWay;
  }

  /** Never rejects. */
  async #fetch(followed: Followed): Promise<void> {
    const { fetch, observer, random, clock } = this.#ports;
    const { issuerId, jwksUri, stop } = followed;
    let nextMs: number;
    try {
      const fetched = await fetch(jwksUri, stop.signal);
      if (stop.signal.aborted) return;
      const isChanged = !isSame(followed.keys, fetched.keys);
      if (isChanged) followed.keys = fetched.keys;
      followed.fetchedAtMs = clock.nowMs();
      if (followed.failures > 0) observer.recovered(issuerId);
      followed.failures = 0;
      observer.fetched(issuerId, fetched, isChanged);
      nextMs = refreshAfterMs(fetched.lifeSeconds, random());
    } catch (error) {
      if (stop.signal.aborted) return;
      followed.failures += 1;
      if (error instanceof FetchFailure) {
        observer.failed(issuerId, error, { hasKeys: followed.keys !== null, isFirst: followed.failures === 1 });
      } else observer.defect(error);
      nextMs = retryAfterMs(followed.failures, random());
    }
    followed.cancelTimer = this.#ports.startTimer(nextMs, () => {
      void this.#begin(followed);
    });
  }

  async #wait(work: Promise<void>): Promise<void> {
    this.#waiting += 1;
    try {
      await waitAtMost(PATIENCE_MS, work, this.#ports.startTimer);
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Whether two sets verify the same tokens: then the one in memory stays, and with it the tokens that it verified. */
function isSame(before: readonly IssuerKey[] | null, now: readonly IssuerKey[]): boolean {
  return (
    before?.length === now.length &&
    before.every((key, at) => {
      const other = now[at];
      return other?.kid === key.kid && other.alg === key.alg && other.publicKey.equals(key.publicKey);
    })
  );
}
