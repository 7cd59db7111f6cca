import { type Db, type Document, MongoServerError } from 'mongodb';
import { dateField } from '../../model/document/fields.ts';
import { type Ending, type EndingKind, endingsOf, isInUse, type LastUse } from '../../model/ending.ts';
import { MongodbUnavailable, withFaults } from './faults.ts';

/** Something that ends, with when it was used. */
export interface StoredEnding extends Ending {
  /** Whose it is; null for a grant. */
  readonly consumerId: string | null;
  /** Null for a grant. */
  readonly use: LastUse | null;
  /** Whether partners still use it; null for a grant. */
  readonly isInUse: boolean | null;
}

/** What of a database is read that ends. */
export interface EndingsWish {
  readonly nowSeconds: number;
  /** What ends within so many seconds from now. */
  readonly withinSeconds: number;
  /** So many of each collection and field at most, the first to end. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** MongoDB's code for a hint that names no index. */
const BAD_VALUE = 2;
const MAX_TIME_MS = 3000;
/** Few at once: the process that reads them decides checks too. */
const BATCH = 250;

/**
 * Reads what ends soon, by indexes only. Rejects with {@link MongodbUnavailable}, also when an index is missing. It
 * takes `find` on `credentials`, `grants` and `usage`, and no secret is read. From a secondary where there is one.
 */
export async function readEndings(db: Db, wish: EndingsWish): Promise<readonly StoredEnding[]> {
  const credentials = await readSoon(db, 'credentials', 'expiresAt', wish);
  const rotating = [
    ...(await readSoon(db, 'credentials', 'retiringSecret.expiresAt', wish)),
    ...(await readSoon(db, 'credentials', 'retiringPublicKey.expiresAt', wish)),
  ];
  const certified = await readSoon(db, 'credentials', 'certificate.notAfter', wish);
  const grants = await readSoon(db, 'grants', 'expiresAt', wish);
  const { nowSeconds } = wish;
  const ofCredentials = (documents: readonly Document[], ...kinds: readonly EndingKind[]): readonly StoredEnding[] =>
    documents.flatMap((document) => endingsIn(document, nowSeconds).filter(({ kind }) => kinds.includes(kind)));
  return [
    ...ofCredentials(credentials, 'credential', 'retiring-credential'),
    ...ofCredentials(rotating, 'former-secret'),
    ...ofCredentials(certified, 'certificate'),
    ...grants.flatMap(({ _id, expiresAt }): readonly StoredEnding[] => {
      const end = secondsOf(expiresAt);
      if (end === null) return [];
      const grant = { kind: 'grant', id: String(_id), notBefore: null, expiresAt: end } as const;
      return [{ ...grant, consumerId: null, use: null, isInUse: null }];
    }),
  ];
}

async function readSoon(
  db: Db,
  collection: 'credentials' | 'grants',
  field: 'expiresAt' | 'retiringSecret.expiresAt' | 'retiringPublicKey.expiresAt' | 'certificate.notAfter',
  { nowSeconds, withinSeconds, limit, signal }: EndingsWish,
): Promise<readonly Document[]> {
  const range = { $gt: new Date(nowSeconds * 1000), $lte: new Date((nowSeconds + withinSeconds) * 1000) };
  const usage = { from: 'usage', localField: '_id', foreignField: '_id', as: 'use' };
  const pipeline = [
    { $match: { [field]: range, state: { $ne: 'revoked' } } },
    { $sort: { [field]: 1 } },
    { $limit: limit },
    ...(collection === 'credentials' ? [{ $lookup: usage }] : []),
    {
      $project: {
        consumerId: 1,
        state: 1,
        notBefore: 1,
        expiresAt: 1,
        'retiringSecret.expiresAt': 1,
        'retiringPublicKey.expiresAt': 1,
        'certificate.notAfter': 1,
        'use.lastUsedAt': 1,
        'use.retiringSecretLastUsedAt': 1,
      },
    },
  ];
  const options = {
    hint: collection === 'credentials' ? { [field]: 1, _id: 1 } : { [field]: 1 },
    maxTimeMS: MAX_TIME_MS,
    batchSize: BATCH,
    ...({ readPreference: 'secondaryPreferred', readConcern: { level: 'local' } } as const),
    ...(signal === undefined ? {} : { signal }),
  };
  return await withFaults(async () => {
    try {
      return await db.collection(collection).aggregate(pipeline, options).toArray();
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== BAD_VALUE) throw error;
      throw new MongodbUnavailable('schema', `${collection} lacks its index on ${field}; run "postern doctor --fix"`);
    }
  });
}

function endingsIn(document: Document, nowSeconds: number): readonly StoredEnding[] {
  const { _id, consumerId, state, notBefore, expiresAt, use, ...rest } = document as Readonly<Record<string, unknown>>;
  const former = (rest['retiringSecret'] ?? rest['retiringPublicKey']) as Document | undefined;
  const certificate = rest['certificate'] as Document | undefined;
  const [used] = Array.isArray(use) ? (use as readonly Document[]) : [];
  const lastUse = {
    lastUsedAt: secondsOf(used?.['lastUsedAt']),
    retiringSecretLastUsedAt: secondsOf(used?.['retiringSecretLastUsedAt']),
  };
  const endings = endingsOf({
    id: String(_id),
    state: state === 'retiring' ? 'retiring' : 'active',
    notBefore: secondsOf(notBefore),
    expiresAt: secondsOf(expiresAt),
    formerSecretEndsAt: secondsOf(former?.['expiresAt']),
    certificateEndsAt: secondsOf(certificate?.['notAfter']),
  });
  return endings.map((ending) => ({
    ...ending,
    consumerId: String(consumerId),
    use: lastUse,
    isInUse: isInUse(ending.kind, lastUse, nowSeconds),
  }));
}

/** Null for what is absent, or was made something else than a date by hand. */
function secondsOf(raw: unknown): number | null {
  const seconds = dateField(raw);
  return typeof seconds === 'number' ? seconds : null;
}
