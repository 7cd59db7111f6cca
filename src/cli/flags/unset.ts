import { InvalidArgumentError } from 'commander';
import { findNearestName } from '../../document/nearest-name.ts';

/** What `--unset` can name: flags by the fields they set; of `keyed` ones, one key too, as in `option.mode`. */
export interface Clearable {
  readonly fields: Readonly<Record<string, string>>;
  readonly keyed: readonly string[];
}

/** Reads the values of `--unset`, which name flags without their dashes, as fields of the declared resource. */
export function unsetCollector({
  fields,
  keyed,
}: Clearable): (text: string, so?: readonly string[]) => readonly string[] {
  return (text, collected = []) => {
    const [flag, key] = splitAtDot(text.replace(/^--/, ''));
    const field = Object.hasOwn(fields, flag) ? fields[flag] : undefined;
    if (field !== undefined && key === undefined) return [...collected, field];
    if (field !== undefined && key !== undefined && key !== '' && keyed.includes(flag)) {
      return [...collected, `${field}.${key}`];
    }
    const known = [...Object.keys(fields), ...keyed.map((name) => `${name}.NAME`)];
    const nearest = findNearestName(text, Object.keys(fields));
    throw new InvalidArgumentError(
      nearest === null || nearest === text ? `It must be one of ${known.join(', ')}.` : `Did you mean ${nearest}?`,
    );
  };
}

function splitAtDot(text: string): readonly [string, string?] {
  const dot = text.indexOf('.');
  return dot === -1 ? [text] : [text.slice(0, dot), text.slice(dot + 1)];
}
