import assert from 'node:assert/strict';
import { parse } from 'yaml';
import type { Finding } from '../../../../../src/partners/import/kong/finding.ts';
import { type ImportedKong, importKong } from '../../../../../src/partners/import/kong/import-kong.ts';
import type { ImportOptions } from '../../../../../src/partners/import/kong/import-context.ts';

/** No decision taken. */
export const undecided: ImportOptions = {
  sharedLimits: 'refuse',
  elsewhere: new Set(),
  wholeSegments: false,
  slashOptional: false,
  audiences: [],
  isComplete: false,
  observes: false,
};

/** An imported file, with its document as JSON. */
export interface Imported extends ImportedKong {
  readonly text: string;
}

/** Imports a configuration of Kong, given as YAML or as a value; it must be one. */
export function importText(configuration: string | object, options: Partial<ImportOptions> = {}): Imported {
  const text = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
  const result = importKong({ file: 'kong.yaml', text }, { ...undecided, ...options });
  assert.ok('imported' in result, JSON.stringify(result));
  const { endpoints, issuers, consumers, grants } = result.imported;
  return { ...result.imported, text: JSON.stringify({ version: 1, endpoints, issuers, consumers, grants }) };
}

/** The problems of a file that is no configuration of Kong, as an operator sees them. */
export function problemsOf(text: string, options: Partial<ImportOptions> = {}): readonly string[] {
  const result = importKong({ file: 'kong.yaml', text }, { ...undecided, ...options });
  assert.ok('problems' in result, 'this was imported');
  return result.problems.map(({ line, column, message }) => `${String(line)}:${String(column)}: ${message}`);
}

/** Findings as short texts: `error 5: route "a": what`. */
export function linesOf(findings: readonly Finding[], level?: Finding['level']): readonly string[] {
  return findings
    .filter((finding) => level === undefined || finding.level === level)
    .map((finding) => `${finding.level} ${String(finding.line)}: ${finding.subject}: ${finding.what}`);
}

/** The endpoint of this id in an imported document. */
export function endpointOf({ endpoints }: ImportedKong, id: string): Readonly<Record<string, unknown>> {
  const found = endpoints.find((endpoint) => endpoint['id'] === id);
  assert.ok(
    found,
    `there is no endpoint ${id} among ${endpoints.map((endpoint) => String(endpoint['id'])).join(', ')}`,
  );
  return found;
}

/** YAML for a value that tests write short. */
export function fromYaml(text: string): unknown {
  return parse(text) as unknown;
}
