import { StoreUnavailable } from '../../check/store/credential-source.ts';

/**
 * Why a store has no answer (`MongodbUnavailable`) although another try, or another server, may have one. Others need
 * an operator, such as missing rights or an unreadable record.
 */
const PASSING_REASONS: readonly unknown[] = [undefined, 'unreachable', 'slow', 'no-primary', 'not-initiated'];

/** Whether the store may answer another time. */
export function mayPass(error: unknown): boolean {
  return error instanceof StoreUnavailable && PASSING_REASONS.includes(reasonOf(error));
}

/** Whether a change does not fit into one transaction of the server. */
export function isTooLarge(error: unknown): boolean {
  return reasonOf(error) === 'too-large';
}

/** Whether a change that failed with this may be in force: no server confirmed or refused it. */
export function isOutcomeUnknown(error: unknown): boolean {
  return reasonOf(error) === 'uncertain';
}

/** Reasons whose messages say where the servers are, or what is wrong with the settings. */
const REASONS_FOR_THE_LOG: readonly unknown[] = [
  'unreachable',
  ...['not-initiated', 'other-set', 'denied', 'forbidden', 'address', 'files', 'stand-alone'],
];

/** What a client is told of a store without an answer: nothing of where it is, which is for the log. */
export function toldOfFault(error: StoreUnavailable): string {
  const isForLog = REASONS_FOR_THE_LOG.includes(reasonOf(error));
  return isForLog ? 'MongoDB does not answer as it should; the log of this process says why' : error.message;
}

function reasonOf(error: unknown): unknown {
  return error instanceof StoreUnavailable && 'reason' in error ? error.reason : undefined;
}
