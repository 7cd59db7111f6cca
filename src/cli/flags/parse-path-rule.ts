import { InvalidArgumentError } from 'commander';
import type { PathRule } from '../../model/endpoint.ts';
import { parsePathRule } from '../../receive/path.ts';

/** `/orders` or `prefix:/orders`: everything below; `exact:/orders`: this path only (interfaces §4). */
export function collectPathRule(text: string, rules: readonly PathRule[] = []): readonly PathRule[] {
  const rule = ruleOf(text);
  if (rule === null) {
    throw new InvalidArgumentError(
      'The form is /orders or prefix:/orders for everything below it, exact:/orders for this path only.',
    );
  }
  const parsed = parsePathRule(rule);
  if ('reason' in parsed) {
    throw new InvalidArgumentError(`The path is not in normal form and would match no request: ${parsed.reason}.`);
  }
  return [...rules, rule];
}

function ruleOf(text: string): PathRule | null {
  if (text.startsWith('/')) return { prefix: text };
  const [kind, path = ''] = splitAtColon(text);
  if (!path.startsWith('/')) return null;
  if (kind === 'prefix') return { prefix: path };
  return kind === 'exact' ? { exact: path } : null;
}

function splitAtColon(text: string): readonly string[] {
  const colon = text.indexOf(':');
  return [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
}

/** A rule in the form in which it is given: `/orders`, `exact:/orders`. */
export function formatPathRule(rule: PathRule): string {
  return 'prefix' in rule ? rule.prefix : `exact:${rule.exact}`;
}
