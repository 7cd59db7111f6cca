import type { Db } from 'mongodb';
import { fine, type Finding, findingsAbout, warning } from '../../../base/finding.ts';
import { isStale, knows, type Replica } from '../../../resources/changes/replicas.ts';
import { count, printable } from '../../../base/text/printable.ts';
import { MongodbUnavailable } from '../faults.ts';
import { createReplicaDirectory } from '../replicas.ts';

const SUBJECT = 'replicas';
/** A replica knows a revision within a second. */
const PATIENCE_MS = 2000;

/** Looks at what replicas say of themselves: who is behind, was not heard of, or is of another version. */
export async function checkReplicas(db: Db, timeoutMs: number): Promise<readonly Finding[]> {
  try {
    const directory = createReplicaDirectory(db, timeoutMs);
    const wanted = await directory.storeRevision();
    let replicas = await directory.list();
    if (replicas.some((each) => !isStale(each) && !knows(each, wanted))) {
      await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
      replicas = await directory.list();
    }
    if (replicas.length === 0) return [fine(SUBJECT, 'none reports: none serves this database now')];
    const found = findingsAbout(SUBJECT);
    const stale = replicas.filter(isStale);
    const behind = replicas.filter((each) => !isStale(each) && !knows(each, wanted));
    const versions = [...new Set(replicas.filter((each) => !isStale(each)).map(({ version }) => version))];
    found.warnIf(stale.length > 0, {
      message: `${namesOf(stale)} ${stale.length === 1 ? 'has' : 'have'} not reported for 15 s: gone, or cut off from MongoDB and serving from memory`,
      advice: 'find out which with "postern replicas"; --forget removes one that is gone for good',
    });
    found.warnIf(behind.length > 0, {
      message: `${namesOf(behind)} ${behind.length === 1 ? 'does' : 'do'} not decide by what the store holds`,
      advice: 'check their logs and /readyz; "postern replicas" shows how far behind they are',
    });
    found.warnIf(versions.length > 1, {
      message: `have different versions: ${versions.map(printable).join(', ')}`,
      advice: 'fine during a rollout; else finish it',
    });
    if (found.all.length > 0) return found.all;
    return [
      fine(
        SUBJECT,
        `${count(replicas.length, 'replica')} ${replicas.length === 1 ? 'decides' : 'decide'} by what the store holds`,
      ),
    ];
  } catch (error) {
    if (!(error instanceof MongodbUnavailable) || error.reason !== 'forbidden') throw error;
    const message = 'this user may not read what replicas report';
    return [
      warning(SUBJECT, message, 'run doctor as an operator; deploy/mongodb/roles.js gives posternOperator the right'),
    ];
  }
}

function namesOf(replicas: readonly Replica[]): string {
  return replicas.map(({ name }) => printable(name)).join(', ');
}
