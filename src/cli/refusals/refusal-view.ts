import { refusalAnswers, type RefusalCode } from '../../check/refusal.ts';
import { shownText } from '../../check/refusals/shown-text.ts';
import type { Column } from '../render/list.ts';
import { formatTime } from '../render/text.ts';
import type { RefusalGroup } from '../../check/refusals/group-refusals.ts';

/** `401 AUTHENTICATION_FAILED`; codes of the OAuth2 endpoints have several statuses. */
export function formatCode(code: string): string {
  return code in refusalAnswers ? `${String(refusalAnswers[code as RefusalCode].status)} ${code}` : shownText(code);
}

/** So much of a request id is enough to find it again. */
const SHORT_ID_LENGTH = 8;

/**
 * Narrower terminals get times without their year, as no refusal is kept for longer than a week, and the request before
 * the detail, below the line.
 */
const NARROW_COLUMNS = 100;

/** The columns of a table of refusals, for a terminal of a width, or in full where `width` is undefined. */
export function refusalColumns(wish: {
  readonly hasConsumer: boolean;
  readonly hasTimes: boolean;
  readonly width: number | undefined;
}): readonly Column<RefusalGroup>[] {
  const { hasConsumer, hasTimes, width } = wish;
  const idLength = width === undefined ? undefined : SHORT_ID_LENGTH;
  const isNarrow = width !== undefined && width < NARROW_COLUMNS;
  const yearLength = isNarrow ? 'YYYY-'.length : 0;
  const requestOf = ({ newest, path }: RefusalGroup): string => `${shownText(newest.method)} ${shownText(path)}`;
  return [
    { heading: 'WHEN', cell: ({ newest }) => formatTime(Math.floor(newest.atMs / 1000)).slice(yearLength) },
    ...(hasConsumer ? [{ heading: 'CONSUMER', cell: ({ newest }: RefusalGroup) => newest.consumerId ?? '-' }] : []),
    { heading: 'ENDPOINT', cell: ({ newest }) => newest.endpointId ?? '-', canShrink: true },
    ...(isNarrow ? [] : [{ heading: 'REQUEST', cell: requestOf, canShrink: true }]),
    {
      heading: 'CODE',
      cell: ({ newest: { code, isObserved } }) => `${shownText(code)}${isObserved ? ' (passed)' : ''}`,
    },
    ...(hasTimes ? [{ heading: 'TIMES', cell: ({ times }: RefusalGroup) => String(times) }] : []),
    { heading: 'REQUEST ID', cell: ({ newest }) => (newest.requestId ?? '-').slice(0, idLength) },
    {
      heading: 'DETAIL',
      cell: (group) => `${isNarrow ? `${requestOf(group)}: ` : ''}${shownText(group.newest.detail)}`,
      canShrink: true,
      goesBelow: true,
    },
  ];
}
