import type { Logger } from './observe/logger.ts';
import type { Health } from '../wire/server/health.ts';
import type { CheckStore } from '../check/store/check-store.ts';
import type { StartTimer } from '../base/clock.ts';

/** The service that Envoy asks about; also the name of the health state that Envoy's health checks name. */
export const AUTHORIZATION_SERVICE = 'envoy.service.auth.v3.Authorization';
/** How often the store is looked at. Envoy asks every second. */
const REFRESH_MS = 500;

/** What telling whether checks can be decided takes. */
export interface ReadinessPorts {
  readonly health: Health;
  readonly store: Pick<CheckStore, 'findUnreadiness' | 'findNotice' | 'canLookUp' | 'describeRevision'>;
  readonly logger: Logger;
  readonly startTimer: StartTimer;
}

/**
 * What the probes say (docs/adr/0008-losing-sight-of-the-database.md). Two states, because two questions are asked:
 *
 * - the process, health's empty name and `/readyz` of the admin listener: whether it can decide for anyone. A
 *   supervisor
 *   asks that; it must not remove every replica when the database is down and cached credentials still serve.
 * - {@link AUTHORIZATION_SERVICE}, and `/readyz` of the OAuth2 listener: whether it can decide for everyone. Envoy asks
 *   that, and prefers replicas that can look up credentials; when none can, it uses all of them (panic threshold).
 */
export class Readiness implements Disposable {
  readonly #ports: ReadinessPorts;
  #isOpen = false;
  #cancelTimer: (() => void) | null = null;
  #loggedUnreadiness: string | null = null;
  #wasBlind = false;

  constructor(ports: ReadinessPorts) {
    this.#ports = ports;
  }

  /** The listeners are open: from now on the store decides what is said. */
  open(): void {
    this.#isOpen = true;
    this.#refresh();
  }

  /** Stopping: nothing more should come. */
  close(): void {
    this.#isOpen = false;
    this.#cancelTimer?.();
    this.#setHealth(false, false);
  }

  /** Why no check should come here, in words; null when checks are taken. */
  findUnreadiness(): string | null {
    return this.#ports.store.findUnreadiness() ?? (this.#isOpen ? null : 'starting or stopping');
  }

  /** What an operator should know though checks are taken; null for nothing. */
  findNotice(): string | null {
    const { store } = this.#ports;
    const notice = store.findNotice();
    return notice === null || store.canLookUp() ? notice : `${notice}; callers not in memory are refused with 503`;
  }

  /** Which state of the store decides; null until it is known. */
  describeRevision(): string | null {
    return this.#ports.store.describeRevision();
  }

  /** Whether every caller can be decided here. */
  canDecideEveryone(): boolean {
    return this.#ports.health.serving(AUTHORIZATION_SERVICE);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #refresh(): void {
    const { store, startTimer } = this.#ports;
    const unreadiness = store.findUnreadiness();
    const isBlind = !store.canLookUp();
    this.#log(unreadiness, isBlind);
    this.#setHealth(unreadiness === null, unreadiness === null && !isBlind);
    this.#cancelTimer = startTimer(REFRESH_MS, () => {
      this.#refresh();
    });
  }

  #setHealth(process: boolean, authorization: boolean): void {
    this.#ports.health.setServing('', process);
    this.#ports.health.setServing(AUTHORIZATION_SERVICE, authorization);
  }

  #log(unreadiness: string | null, isBlind: boolean): void {
    const { logger } = this.#ports;
    if (isBlind && !this.#wasBlind) {
      logger.error('credentials cannot be looked up; Envoy prefers replicas that can');
    } else if (!isBlind && this.#wasBlind) logger.info('credentials can be looked up again');
    this.#wasBlind = isBlind;
    if ((unreadiness === null) === (this.#loggedUnreadiness === null)) return;
    this.#loggedUnreadiness = unreadiness;
    if (unreadiness === null) logger.info('ready again');
    else logger.error('not ready any more', { reason: unreadiness });
  }
}
