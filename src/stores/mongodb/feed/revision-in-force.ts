import type { Timestamp } from 'mongodb';
import { isSameRevision, type StoreRevision } from '../../../model/store-revision.ts';

/** What the revision in force depends on, and what it calls. */
export interface RevisionInForcePorts {
  /** Whether every changed endpoint that was taken is in force. */
  readonly isCompiled: () => boolean;
  readonly onChanged: (revision: StoreRevision) => void;
}

/** What a reading gave, and a moment of the database that is not before it. */
interface Reading {
  readonly revision: StoreRevision;
  readonly at: Timestamp;
}

/**
 * Which commits this process decides checks by. A commit counts only when all of its changes do:
 *
 * - A reading of the store says which commits had ended. Whatever they changed was committed before the moment of the
 *   reading, as a commit ends in a write of its own.
 * - When every change stream has come to that moment, all of these changes were taken.
 * - Then changed endpoints have to be compiled, and what was read before changes were lost has to be dropped
 *   ({@link hold}).
 *
 * While changes do not arrive, what was in force stays so. See docs/adr/0012-which-replica-knows-what.md.
 */
export class RevisionInForce {
  readonly #ports: RevisionInForcePorts;
  #inForce: StoreRevision | null = null;
  /** Two readings at most: the first of those that wait, so that it comes to its end, and the newest. */
  #first: Reading | null = null;
  #newest: Reading | null = null;
  /** All of its changes were taken. */
  #taken: StoreRevision | null = null;
  #reached: Timestamp | null = null;
  #isHeld = false;

  constructor(ports: RevisionInForcePorts) {
    this.#ports = ports;
  }

  /** Null before the first time. */
  get inForce(): StoreRevision | null {
    return this.#inForce;
  }

  /** The store was read: these commits had ended at this moment of the database, or before. */
  read(revision: StoreRevision, at: Timestamp): void {
    if (this.#first === null) this.#first = { revision, at };
    else this.#newest = { revision, at };
    this.#settle();
  }

  /** Every change before this moment was taken; null: changes were lost. */
  reach(at: Timestamp | null): void {
    this.#reached = at;
    this.#settle();
  }

  /** Where changes are not followed: every change of these commits was taken. */
  take(revision: StoreRevision): void {
    this.#taken = revision;
    this.#settle();
  }

  /** Something that was read before changes were lost may still decide: nothing new counts until {@link release}. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#settle();
  }

  /** Changed endpoints are in force. */
  compiled(): void {
    this.#settle();
  }

  #settle(): void {
    while (this.#first !== null && this.#reached?.greaterThanOrEqual(this.#first.at) === true) {
      this.#taken = this.#first.revision;
      this.#first = this.#newest;
      this.#newest = null;
    }
    if (this.#taken === null || this.#isHeld || !this.#ports.isCompiled()) return;
    const revision = this.#taken;
    this.#taken = null;
    if (isSameRevision(revision, this.#inForce)) return;
    this.#inForce = revision;
    this.#ports.onChanged(revision);
  }
}
