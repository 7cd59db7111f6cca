import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import { formatTimeFrom, printFields } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { shownText } from '../../check/refusals/shown-text.ts';
import { formatCode } from './refusal-view.ts';

/** Prints one refusal for people. */
export function printRefusal(record: RefusalRecord, nowSeconds: number, terminal: Terminal): void {
  const { atMs, requestId, endpointId, method, path, code, detail, isObserved } = record;
  const { consumerId, credentialId, sourceAddress, stringToSign } = record;
  printFields(
    `${formatCode(code)}: ${shownText(detail)}`,
    [
      ['when', formatTimeFrom(Math.floor(atMs / 1000), nowSeconds)],
      ['request', `${shownText(method)} ${shownText(path)}`],
      ['endpoint', endpointId],
      ['consumer', consumerId],
      ['credential', credentialId],
      ['came from', sourceAddress],
      ['request id', requestId],
      ['answer', isObserved ? 'let through: the endpoint only observes' : null],
      ['string to sign', stringToSign === null ? null : stringToSign.split('\n')],
    ],
    terminal,
  );
}
