import type { ClientSession, ClusterTime, Timestamp } from 'mongodb';

/**
 * The newest moment of the database that this process knows of. Reads wait for it, so that what is read after a change
 * was told is never older than that change: not from a secondary that lags, nor from a former primary.
 */
export class CausalFloor {
  #operationTime: Timestamp | null = null;
  #clusterTime: ClusterTime | null = null;

  /** Raises the floor to a moment that `session` has seen. Never lowers it; a stand-alone server has no moments. */
  raise(operationTime: Timestamp | undefined, session: ClientSession): void {
    if (operationTime === undefined) return;
    if (this.#operationTime !== null && !operationTime.greaterThan(this.#operationTime)) return;
    this.#operationTime = operationTime;
    // Signed by the server: a node that has not heard of this time takes it only so.
    this.#clusterTime = session.clusterTime?.signature === undefined ? null : session.clusterTime;
  }

  /** Makes the reads of a causally consistent session wait for the floor. */
  applyTo(session: ClientSession): void {
    if (this.#operationTime !== null) session.advanceOperationTime(this.#operationTime);
    if (this.#clusterTime !== null) session.advanceClusterTime(this.#clusterTime);
  }
}
