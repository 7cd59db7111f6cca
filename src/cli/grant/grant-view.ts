import { declareGrant } from '../../document/declare/declare-grant.ts';
import type { Stored } from '../../manage/resource.ts';
import type { Grant } from '../../model/grant.ts';
import { formatGrantLimits } from '../render/describe-limits.ts';
import { formatDistance } from '../render/format-time.ts';
import type { ListView } from '../render/render-list.ts';
import { declareVersion } from '../render/render-resource.ts';

/** Grants in a table. */
export function grantView(nowSeconds: number): ListView<Stored<Grant>> {
  return {
    columns: [
      { heading: 'ENDPOINT', cell: ({ resource }) => resource.endpointId },
      { heading: 'CONSUMER', cell: ({ resource }) => resource.consumerId },
      { heading: 'LIMITS', cell: ({ resource }) => formatGrantLimits(resource.limits), canShrink: true },
      {
        heading: 'ENDS',
        cell: ({ resource }) => endOf(resource, nowSeconds),
        paint: (text, { resource }, paint) => (isOver(resource, nowSeconds) ? paint.red(text) : text),
      },
    ],
    declare: (stored) => ({ ...declareGrant(stored.resource), ...declareVersion(stored) }),
    none: 'There is no such grant. "postern grant add" makes one.',
  };
}

function endOf({ expiresAt }: Grant, nowSeconds: number): string {
  if (expiresAt === null) return 'never';
  return `${expiresAt <= nowSeconds ? 'ended ' : ''}${formatDistance(expiresAt, nowSeconds)}`;
}

function isOver({ expiresAt }: Grant, nowSeconds: number): boolean {
  return expiresAt !== null && expiresAt <= nowSeconds;
}
