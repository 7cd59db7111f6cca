import assert from 'node:assert/strict';
import { inspectEnvoy } from '../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../src/cli/doctor/own-limits.ts';
import { dumpOf } from './config-dump.ts';
import { type JsonObject, readEnvoyConfig } from './envoy-config.ts';

/** What doctor says of envoy.yaml after a change, one line each: `fault: listener partners: guard: …`. */
export function findingsAfter(edit: (config: JsonObject) => void): readonly string[] {
  const config = readEnvoyConfig();
  edit(config);
  return inspectEnvoy(dumpOf(config), { own: unknownLimits, live: null }).map(
    ({ level, subject, message }) => `${level}: ${subject}: ${message}`,
  );
}

/** Asserts that a change brings these findings and no others, and that each says what to do. */
export function assertFindings(edit: (config: JsonObject) => void, ...expected: readonly RegExp[]): void {
  const findings = findingsAfter(edit).filter((finding) => !finding.startsWith('ok:'));
  const text = findings.join('\n');
  for (const pattern of expected)
    assert.ok(
      findings.some((finding) => pattern.test(finding)),
      `${String(pattern)}\n${text}`,
    );
  assert.equal(findings.length, expected.length, text);
}
