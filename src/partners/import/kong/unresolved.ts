import type { DocumentPath } from '../../../model/document/problem.ts';

/**
 * The marks of what a program fills in before Kong reads it: decK and Helm (`{{`), envsubst (`${`, `$NAME`), make
 * (`$(`), ERB (`<%`), Octopus (`#{`), Hiera (`%{`), CMake (`@NAME@`), replace-tokens (`__NAME__`); and Kong's vaults.
 */
const PLACEHOLDER = /\$[{(A-Z_]|\{\{|\{vault:|<%|[#%]\{|@[A-Z][A-Z0-9_]*@|__[A-Z][A-Z0-9_]*__/;
/** Those of them that no secret holds by chance. */
const BRACKETED = /\$\{|\{\{|\{vault:|<%|[#%]\{/;

/** What to do about a placeholder, wherever it stands. */
export const RENDER_FIRST =
  'render the file first, with the tool that fills it in (deck file render --populate-env-vars, envsubst, helm template), or write what the vault has';

/** Where in a text a placeholder begins; null for a text that stands for itself. */
export function findPlaceholder(text: string): number | null {
  const at = text.search(PLACEHOLDER);
  return at === -1 ? null : at;
}

/** Whether a secret has a part that a program fills in later. */
export function isTemplate(secret: string): boolean {
  return BRACKETED.test(secret);
}

/** The path to the first placeholder in a value, keys included; null when there is none. */
export function pathToPlaceholder(value: unknown): DocumentPath | null {
  if (typeof value === 'string') return findPlaceholder(value) === null ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    if (typeof step === 'string' && findPlaceholder(step) !== null) return [step];
    const path = pathToPlaceholder(item);
    if (path !== null) return [step, ...path];
  }
  return null;
}
