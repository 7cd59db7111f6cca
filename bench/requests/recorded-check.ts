import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One Check as Envoy sent it. */
export interface RecordedCheck {
  /** The `CheckRequest`, without gRPC's five bytes before it. */
  readonly message: Buffer;
  /** The header fields of the call in their order on the wire. */
  readonly headers: readonly (readonly [string, string])[];
}

/** Where the recorded Check is kept; bench/record.ts writes it. */
export const recordedCheckPaths = {
  message: fileURLToPath(new URL('check.bin', import.meta.url)),
  headers: fileURLToPath(new URL('check.headers.json', import.meta.url)),
} as const;

/** Reads the recorded Check. */
export function readRecordedCheck(): RecordedCheck {
  return {
    message: readFileSync(recordedCheckPaths.message),
    headers: JSON.parse(readFileSync(recordedCheckPaths.headers, 'utf8')) as RecordedCheck['headers'],
  };
}
