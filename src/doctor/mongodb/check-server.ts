import type { Db } from 'mongodb';
import type { Clock } from '../../clock.ts';
import { fault, fine, type Finding, warning } from '../finding.ts';

const SUBJECT = 'MongoDB';

/** What is known of the connection. */
export interface ConnectionFacts {
  readonly isTls: boolean;
  readonly clock: Clock;
}

/** From here a clock makes changes count late or early, in milliseconds. */
const CLOCK_WARNING_MS = 2000;
/** From here signatures in their time window are refused, in milliseconds. */
const CLOCK_FAULT_MS = 60_000;

/** Looks at the server itself: its kind, its clock, who may log in, who can listen. Rejects as the driver does. */
export async function checkServer(db: Db, { isTls, clock }: ConnectionFacts): Promise<readonly Finding[]> {
  const before = clock.nowMs();
  const hello = await db.command({ hello: 1 });
  const after = clock.nowMs();
  const setName: unknown = hello['setName'];
  const findings: Finding[] = [
    typeof setName === 'string' || hello['msg'] === 'isdbgrid'
      ? fine(
          SUBJECT,
          `answers${typeof setName === 'string' ? ` as the replica set ${setName}` : ' as a sharded cluster'}`,
        )
      : warning(
          SUBJECT,
          'is a stand-alone server: changes reach replicas in seconds instead of at once, and commands refuse to make any',
          'make it a replica set; one node is enough: mongod --replSet rs0, then rs.initiate()',
        ),
    ...checkClock(hello['localTime'], (before + after) / 2),
  ];
  const status = await db.command({ connectionStatus: 1 });
  const users: unknown = (status['authInfo'] as { readonly authenticatedUsers?: unknown } | undefined)
    ?.authenticatedUsers;
  if (Array.isArray(users) && users.length === 0) {
    findings.push(
      warning(
        SUBJECT,
        'takes this connection without a login: whoever reaches it can read and change everything',
        'switch authorization on, and make users with deploy/mongodb/roles.js',
      ),
    );
  }
  if (!isTls && !isLoopback(hello['me'])) {
    findings.push(
      warning(
        SUBJECT,
        'is called without TLS: App Keys and sealed secrets can be read on the way',
        'add tls=true&tlsCAFile=… to the address',
      ),
    );
  }
  return findings;
}

function checkClock(localTime: unknown, nowMs: number): readonly Finding[] {
  if (!(localTime instanceof Date)) return [];
  const aheadMs = Math.round(localTime.getTime() - nowMs);
  const shown = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'behind' : 'ahead of'}`;
  const message = `the clock of this machine is ${shown} that of MongoDB`;
  const advice = 'let both follow a time service (NTP); signatures are valid for minutes only';
  if (Math.abs(aheadMs) >= CLOCK_FAULT_MS) return [fault('clock', message, advice)];
  if (Math.abs(aheadMs) >= CLOCK_WARNING_MS) return [warning('clock', message, advice)];
  return [fine('clock', 'agrees with that of MongoDB')];
}

function isLoopback(me: unknown): boolean {
  return typeof me !== 'string' || /^(127\.|\[?::1|localhost)/.test(me);
}
