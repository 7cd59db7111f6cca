import type { ClientRequest } from '../../signing/client-request.ts';

/** The forms in which a request can be given. */
export type RequestForm = 'curl' | 'raw' | 'har';

/** A request as it was read from a text. */
export interface ReadRequest {
  readonly form: RequestForm;
  readonly request: ClientRequest;
  /** When it was sent, in seconds since the epoch, where the text says so. */
  readonly sentAtSeconds: number | null;
  /** What a reader of the result should know about how the text was taken. */
  readonly notes: readonly string[];
}
