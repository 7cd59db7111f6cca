import { InvalidArgumentError } from 'commander';
import { ID_PATTERN } from '../../document/fields.ts';

/** The id of an endpoint, consumer or credential (spec §1), checked before anything is asked of the store. */
export function parseId(text: string): string {
  if (ID_PATTERN.test(text)) return text;
  throw new InvalidArgumentError(
    'An id has 1 to 63 of the characters a-z, 0-9 and "-", and begins with a letter or digit.',
  );
}

/** {@link parseId} for a flag that is given once for each id. */
export function collectId(text: string, ids: readonly string[] = []): readonly string[] {
  return [...ids, parseId(text)];
}
