import type { Explanation } from '../../partners/explain/explanation.ts';
import { explanationText } from '../../partners/explain/explanation-text.ts';
import { describeStringToSign } from '../../check/signing/string-to-sign-hint.ts';
import type { OutputFormat } from '../flags/options.ts';
import { formatData } from '../render/data.ts';

/** An explanation, and what surrounds it. */
export interface Explained {
  readonly explanation: Explanation;
  readonly notes: readonly string[];
  /** Names the request in the log; null where it is not known. */
  readonly requestId: string | null;
}

/**
 * Writes an explanation for people (`table`), for a terminal of so many columns, or for programs; it ends with a line
 * feed.
 */
export function renderExplanation(
  { explanation, notes, requestId }: Explained,
  format: OutputFormat,
  columns?: number,
): string {
  const all: Explanation = { ...explanation, notes: [...notes, ...explanation.notes] };
  if (format === 'table') return explanationText(all, requestId, columns);
  const { stringToSign, ...rest } = all;
  const shown = { ...rest, requestId, stringToSign: stringToSign === null ? null : describeStringToSign(stringToSign) };
  return formatData(shown, format);
}
