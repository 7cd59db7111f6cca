import type { Db } from 'mongodb';
import type { Clock } from '../../../base/clock.ts';
import { type Finding, warning } from '../../../base/finding.ts';
import { printable } from '../../../base/text/printable.ts';
import { declareTime } from '../../../resources/declared.ts';
import { readEndings, type StoredEnding } from '../endings.ts';
import { MongodbUnavailable } from '../faults.ts';

const SUBJECT = 'ends soon';
const WITHIN_SECONDS = 7 * 86_400;
const MAX_READ = 1000;
/** Ends beyond these are counted, not reported one by one. */
const MAX_REPORTED = 10;

const what = {
  credential: 'credential',
  'retiring-credential': 'retiring credential',
  'former-secret': 'former secret or key of',
  certificate: 'certificate of',
  grant: 'grant',
} as const;

/** Warns of what ends within a week and is in use, and of grants; the first to end come first. */
export async function checkEndings(db: Db, clock: Pick<Clock, 'nowSeconds'>): Promise<readonly Finding[]> {
  const wish = { nowSeconds: clock.nowSeconds(), withinSeconds: WITHIN_SECONDS, limit: MAX_READ };
  const endings = await readEndings(db, wish).catch((error: unknown) => {
    // A missing index is a finding of its own.
    if (error instanceof MongodbUnavailable && error.reason === 'schema') return [];
    throw error;
  });
  const due = endings.filter(({ isInUse }) => isInUse !== false).sort((a, b) => a.expiresAt - b.expiresAt);
  const shown = due.slice(0, MAX_REPORTED).map(findingOf);
  const more = due.length - shown.length;
  if (more <= 0) return shown;
  return [
    ...shown,
    warning(SUBJECT, `${String(more)} more end within a week`, 'postern credential list --expiring 7d'),
  ];
}

function findingOf({ kind, id, consumerId, expiresAt, isInUse }: StoredEnding): Finding {
  const whose = consumerId === null ? '' : ` of ${printable(consumerId)}`;
  const use = isInUse === true ? ', and is in use' : '';
  const message = `${what[kind]} ${printable(id)}${whose} ends at ${declareTime(expiresAt)}${use}`;
  const advice =
    kind === 'grant'
      ? 'give it another end with "postern grant add --expires", if it is not meant to end'
      : kind === 'credential'
        ? 'issue another credential and hand it over, if it is not meant to end'
        : kind === 'certificate'
          ? 'ask the partner for the next one, and give it with "postern credential rotate --certificate"'
          : 'ask the partner to change over to the new secret';
  return warning(SUBJECT, message, advice);
}
