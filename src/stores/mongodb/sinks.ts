import type { Db } from 'mongodb';
import type { RefusalSink } from '../../check/refusals/refusal-writer.ts';
import type { ReplicaRegister } from '../replica-heartbeat.ts';
import type { TrafficSink } from '../traffic/traffic-recorder.ts';
import type { UsageSink } from '../usage-recorder.ts';
import { createRefusalSink } from './refusals.ts';
import { createReplicaRegister, type ReplicaIdentity } from './replicas.ts';
import { createTrafficSink } from './traffic.ts';
import { createUsageSink } from './usage.ts';

/** What a gateway writes into its database; no check waits for it. */
export interface MongoSinks {
  /** Where the times of last use are kept. */
  readonly usage: UsageSink;
  /** Where refusals of known callers are kept. */
  readonly refusals: RefusalSink;
  /** Where requests are counted. */
  readonly traffic: TrafficSink;
  /** Where this process, once it has a name, says that it is there. */
  readonly createRegister: (replica: Omit<ReplicaIdentity, 'maxStaleSeconds'>) => ReplicaRegister;
}

/** The sinks of a database. They do not own its client. */
export function createSinks(db: Db, maxStaleSeconds: number): MongoSinks {
  return {
    usage: createUsageSink(db),
    refusals: createRefusalSink(db),
    traffic: createTrafficSink(db),
    createRegister: (replica) => createReplicaRegister(db, { ...replica, maxStaleSeconds }),
  };
}
