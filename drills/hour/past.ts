import type { Fleet } from '../../test/support/fleet/fleet.ts';
import { handOver } from '../../test/support/fleet/partners.ts';
import { openHttp1Client } from '../../test/support/load/load-client.ts';
import type { ReplicaClient } from '../history/ask-replica.ts';
import { ALLOWED, type Asked, type Changed, NO_ANSWER, type Promises } from '../history/history.ts';
import { type Fault, judge } from '../history/judge.ts';
import { readCounted, readFinal } from '../history/outcome.ts';
import type { Random } from '../history/random.ts';
import { editLabels, issueAndRevoke, sendSigned, type Signer } from '../history/workload.ts';
import { CONSUMERS } from './callers.ts';

/**
 * A change is in force within a second where the database works. Elections, and a machine that runs all of this, may
 * add to it.
 */
const promises: Promises = { revokedWithinMs: 10_000 };

/** Partners whose credentials come and go, as in `drills/history`, here through Envoy. */
export interface Past {
  /** Calls and changes until the signal is given. */
  record(signal: AbortSignal): Promise<void>;
  /** Judges what was recorded. To be called when no replica has anything to write any more. */
  judge(): Promise<readonly Fault[]>;
  readonly size: { readonly asked: number; readonly changed: number };
}

/** Issues what signers sign with. */
export async function makePast(fleet: Fleet, random: Random): Promise<Past> {
  const asked: Asked[] = [];
  const changed: Changed[] = [];
  const signers: Signer[] = [];
  for (const consumer of CONSUMERS) {
    const issue = `credential issue --consumer ${consumer} --method hmac --id ${consumer}-hmac`;
    const { id, appKey, appSecret } = await handOver(fleet, issue);
    signers.push({ consumer, credential: id, appKey, secret: appSecret ?? '' });
  }
  return {
    record: async (signal) => {
      await using client = throughEnvoy(fleet.envoy.port);
      const { environment } = fleet;
      const workload = { clients: [client], environment, random, ...promises, signal, asked, changed };
      await Promise.all([
        ...signers.map((signer) => sendSigned(workload, signer)),
        ...CONSUMERS.flatMap((consumer) => [editLabels(workload, consumer), issueAndRevoke(workload, consumer)]),
      ]);
    },
    judge: async () => {
      const postern = async (...args: readonly string[]): Promise<string> => await fleet.postern(...args);
      return judge({ asked, changed, final: await readFinal(postern), counted: await readCounted(postern) }, promises);
    },
    get size() {
      return { asked: asked.length, changed: changed.length };
    },
  };
}

function throughEnvoy(port: number): ReplicaClient {
  const client = openHttp1Client(port);
  return {
    ask: async (request) => {
      const outcome = await client.call(request).catch(() => NO_ANSWER);
      if (outcome === '200') return ALLOWED;
      const [, code] = outcome.split(' ');
      return code === undefined || outcome === '503 UNAVAILABLE' ? NO_ANSWER : code;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
