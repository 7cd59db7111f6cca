import { type Finding, warning } from '../../../base/finding.ts';
import { type JsonObject, numberIn, textIn } from '../../../model/document/json.ts';

/**
 * A setting that envoy.yaml has and that nothing else of the chain depends on: without it something gets worse quietly.
 */
export interface Expectation {
  /** As in envoy.yaml, for people. */
  readonly setting: string;
  readonly isMet: (settings: JsonObject) => boolean;
  readonly consequence: string;
}

/** A setting that must hold a time which is not zero. `below`: where it stands. */
export function timed(setting: string, consequence: string, ...below: readonly string[]): Expectation {
  const steps = [...below, ...stepsOf(setting)];
  return { setting, consequence, isMet: (settings) => Number.parseFloat(textIn(settings, ...steps) ?? '0') > 0 };
}

/** A setting that must hold a larger number. */
export function above(least: number, setting: string, consequence: string): Expectation {
  return { setting, consequence, isMet: (settings) => (numberIn(settings, ...stepsOf(setting)) ?? least) > least };
}

/** `a.b: 10s` stands at `a`, `b`. */
function stepsOf(setting: string): readonly string[] {
  return (setting.split(':', 1)[0] ?? '').split('.');
}

/** A warning for each expectation that settings do not meet. */
export function unmet(subject: string, settings: JsonObject, expectations: readonly Expectation[]): readonly Finding[] {
  return expectations
    .filter(({ isMet }) => !isMet(settings))
    .map(({ setting, consequence }) =>
      warning(subject, `${setting} is missing or different: ${consequence}`, 'copy it from envoy.yaml'),
    );
}
