import { type Refusal, refuse } from '../../refusal.ts';
import { shownName } from '../../signing/header-text.ts';
import { type Component, nameOf } from './components.ts';
import type { ComponentValues, NoValue } from './component-values.ts';
import { otherSpelling } from './derived-values.ts';

/** What a signature covers, and the inner list that says so, with its parameters, as it is sent. */
export interface CoveredRequest {
  readonly components: readonly Component[];
  readonly text: string;
}

/**
 * Builds the signature base of a request (RFC 9421 §2.5, spec §3.5), one character a byte: a line for each component
 * and `@signature-params`, joined by line feeds. There are two, the authority as received first, where a covered
 * `@target-uri` can be written in two ways.
 *
 * Method and path are those of a request that `checkTarget` passed. Refuses a covered component that the request lacks
 * (`CREDENTIALS_MALFORMED`), and before that (`MALFORMED_REQUEST`) a field with a line break or with lost bytes.
 */
export function signatureBases(
  values: ComponentValues,
  { components, text }: CoveredRequest,
): readonly string[] | Refusal {
  const { request, scheme } = values;
  let absent: Refusal | null = null;
  let base = '';
  let alternative: string | null = null;
  for (const component of components) {
    const unsignable = component.kind === 'field' ? values.findUnsignable(component.name) : null;
    if (unsignable !== null) return unsignable;
    const value = values.of(component);
    if (typeof value !== 'string') {
      absent ??= refuseAbsent(component, value);
      continue;
    }
    const line = `${component.identifier}: ${value}\n`;
    const other = component.kind === 'derived' ? otherSpelling(request, component.name, scheme) : null;
    if (other !== null) alternative = `${base}${component.identifier}: ${other}\n`;
    else if (alternative !== null) alternative += line;
    base += line;
  }
  if (absent !== null) return absent;
  const last = `"@signature-params": ${text}`;
  return alternative === null ? [base + last] : [base + last, alternative + last];
}

function refuseAbsent(component: Component, { why }: NoValue): Refusal {
  return refuse('CREDENTIALS_MALFORMED', `the signature covers ${shownName(nameOf(component))}, ${why}`);
}
