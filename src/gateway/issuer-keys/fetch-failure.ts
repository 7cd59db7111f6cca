/** Why a set of keys could not be fetched: a label of metrics. */
export const fetchFailures = [
  'address',
  'connection',
  'tls',
  'timeout',
  'redirect',
  'status',
  'size',
  'content',
] as const;
export type FetchFailureReason = (typeof fetchFailures)[number];

/** A set of keys that could not be fetched. Its message repeats nothing that the other end sent. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly reason: FetchFailureReason;

  constructor(reason: FetchFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
