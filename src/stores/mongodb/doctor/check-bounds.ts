import type { Db } from 'mongodb';
import { type PlainProblem, readPlain, type Reader } from '../../../model/document/read-plain.ts';
import { type Finding, warning } from '../../../base/finding.ts';
import {
  MAX_ENDPOINTS,
  MAX_ENDPOINTS_BYTES,
  MAX_GROUP_GRANTS,
  MAX_GROUP_GRANTS_OF_ENDPOINT,
} from '../../../model/bounds.ts';
import { declareConsumer, readConsumerAlone } from '../../../resources/consumer.ts';
import { declareEndpoint, readEndpoint } from '../../../resources/endpoint.ts';
import { declareGrant, readGrant, shownGrantId } from '../../../resources/grant.ts';
import { declareOperator, readOperator } from '../../../resources/operator.ts';
import { collectionOf, forGroups } from '../documents.ts';
import type { Mapped, RawDocument } from '../mapping/document-fault.ts';
import {
  readConsumerDocument,
  readEndpointDocument,
  readGrantDocument,
  readOperatorDocument,
} from '../mapping/records.ts';

/** Records beyond these are counted, not reported one by one. */
const MAX_REPORTED = 20;

/**
 * Warns of what an older version let operators write beyond today's bounds: it is served, and costs the memory that
 * bounds are there for. Consumers only when `isDeep`. Rejects as the driver does.
 */
export async function checkBounds(db: Db, { isDeep }: { readonly isDeep: boolean }): Promise<readonly Finding[]> {
  const endpoints = collectionOf(db, 'endpoints').find({});
  const grants = collectionOf(db, 'grants').find(forGroups);
  const operators = collectionOf(db, 'operators').find({});
  const consumers = isDeep ? collectionOf(db, 'consumers').find({}) : [];
  return [
    ...(await excessOf(
      'endpoints',
      endpoints,
      (raw) => rewritten(readEndpointDocument(raw), declareEndpoint, readEndpoint),
      {
        name: ({ id }) => `the endpoint ${id}`,
        remedy: ({ id }) => `shorten it with "postern endpoint edit ${id}"`,
      },
    )),
    ...(await excessOf('grants', grants, (raw) => rewritten(readGrantDocument(raw), declareGrant, readGrant), {
      name: (grant) => `the grant ${shownGrantId(grant)}`,
      remedy: (grant) => `remove it: ${removalOf(shownGrantId(grant))}`,
    })),
    ...(await excessOf(
      'operators',
      operators,
      (raw) => rewritten(readOperatorDocument(raw), (each) => declareOperator({ ...each, tokens: [] }), readOperator),
      {
        name: ({ id }) => `the operator ${id}`,
        remedy: ({ id }) => `shorten it with "postern operator edit ${id}"`,
      },
    )),
    ...(await excessOf(
      'consumers',
      consumers,
      (raw) => rewritten(readConsumerDocument(raw), declareConsumer, readConsumerAlone),
      {
        name: ({ id }) => `the consumer ${id}`,
        remedy: ({ id }) => `shorten it with "postern consumer edit ${id}", or delete it`,
      },
    )),
    ...(await checkCounts(db)),
  ];
}

function removalOf(id: string): string {
  const [endpoint = '', holder = ''] = id.split('/');
  return holder.startsWith('~')
    ? `postern grant remove --endpoint ${endpoint} --hash ${holder}`
    : `"postern grant remove --endpoint ${endpoint}" with its labels`;
}

interface Excess<T> {
  readonly resource: T;
  readonly problem: PlainProblem;
}

/**
 * What keeps a stored resource from being written as it is; null for nothing. Faults of its form are told elsewhere.
 */
function rewritten<T>(mapped: Mapped<T>, declare: (resource: T) => unknown, read: Reader<unknown>): Excess<T> | null {
  if (!('value' in mapped)) return null;
  const again = readPlain(declare(mapped.value), read);
  const problem = 'problems' in again ? again.problems[0] : undefined;
  return problem === undefined ? null : { resource: mapped.value, problem };
}

async function excessOf<T>(
  subject: string,
  documents: AsyncIterable<RawDocument> | readonly RawDocument[],
  find: (raw: RawDocument) => Excess<T> | null,
  { name, remedy }: { readonly name: (resource: T) => string; readonly remedy: (resource: T) => string },
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let more = 0;
  for await (const document of documents) {
    const excess = find(document);
    if (excess === null) continue;
    if (findings.length === MAX_REPORTED) more += 1;
    else {
      const { resource, problem } = excess;
      findings.push(warning(subject, `${name(resource)} is beyond a bound: ${problem.message}`, remedy(resource)));
    }
  }
  if (more > 0) findings.push(warning(subject, `${String(more)} more are beyond a bound`, 'look at these first'));
  return findings;
}

async function checkCounts(db: Db): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const note = (subject: string, count: number, most: number, what: string): void => {
    if (count <= most) return;
    const said = `there are ${String(count)} ${what}, and at most ${String(most)} may be written`;
    findings.push(warning(subject, said, 'remove those that nobody needs'));
  };
  const grants = collectionOf(db, 'grants');
  const crowded = await grants
    .aggregate<{ readonly _id: unknown; readonly count: number }>([
      { $match: forGroups },
      { $group: { _id: '$endpointId', count: { $sum: 1 } } },
      { $match: { count: { $gt: MAX_GROUP_GRANTS_OF_ENDPOINT } } },
      { $limit: MAX_REPORTED },
    ])
    .toArray();
  for (const { _id: id, count } of crowded) {
    note('grants', count, MAX_GROUP_GRANTS_OF_ENDPOINT, `grants for groups on the endpoint ${String(id)}`);
  }
  note('grants', await grants.countDocuments(forGroups), MAX_GROUP_GRANTS, 'grants for groups');
  const [total] = await collectionOf(db, 'endpoints')
    .aggregate<{ readonly count: number; readonly bytes: number }>([
      { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
    ])
    .toArray();
  note('endpoints', total?.count ?? 0, MAX_ENDPOINTS, 'endpoints');
  note('endpoints', total?.bytes ?? 0, MAX_ENDPOINTS_BYTES, 'bytes of endpoints');
  return findings;
}
