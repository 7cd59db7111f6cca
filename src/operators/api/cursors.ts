import { ID_PATTERN } from '../../model/document/fields.ts';
import type { CursorSealer } from '../../model/keyring/cursor-sealer.ts';
import { ApiProblem } from './problem.ts';

/** The longest that a list takes: of a grant for a group with many labels. */
export const MAX_CURSOR_LENGTH = 8192;

/** The cursors of one list for one operator: clients take nothing in them as known, and others have no use for them. */
export interface Cursors {
  /** Where the next page begins. */
  readonly after: (place: string) => string;
  /** The id behind which a page begins; undefined without a cursor. Throws as {@link readPlace}. */
  readonly read: (text: string | undefined) => string | undefined;
  /**
   * What a cursor names; null without one. `read` gives null for what none of a list's own cursors names. Throws
   * `MALFORMED_REQUEST` for what no list returned to this operator.
   */
  readonly readPlace: <T>(text: string | undefined, read: (named: string) => T | null) => T | null;
}

/** The cursors of a list, which its path names. */
export function cursorsOf(sealer: CursorSealer, operatorId: string, path: string): Cursors {
  const scope = `${operatorId}\0${path}`;
  const readPlace: Cursors['readPlace'] = (text, read) => {
    if (text === undefined) return null;
    const opened = sealer.open(text, scope);
    const named = opened === null ? null : read(opened);
    if (named === null) throw new ApiProblem('MALFORMED_REQUEST', 'cursor is not one that this list returned to you');
    return named;
  };
  return {
    after: (place) => sealer.seal(place, scope),
    read: (text) => readPlace(text, (id) => (ID_PATTERN.test(id) ? id : null)) ?? undefined,
    readPlace,
  };
}
