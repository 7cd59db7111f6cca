import { parse } from 'yaml';
import { readDocument } from '../docs/documents.ts';

/** A rule of Prometheus: an alert, or a recorded series. */
export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

export const rulesPath = 'deploy/observability/postern.rules.yaml';

/** The committed rules. */
export function readRules(): readonly RuleGroup[] {
  return (parse(readDocument(rulesPath)) as { readonly groups: readonly RuleGroup[] }).groups;
}
