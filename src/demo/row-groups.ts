import type { RowGroup } from './row.ts';
import { accessRows } from './rows/access.ts';
import { hmacRows } from './rows/hmac.ts';
import { identityRows } from './rows/identity.ts';
import { keyRows } from './rows/key.ts';
import { oauth2Rows } from './rows/oauth2.ts';
import { parameterSignatureRows } from './rows/parameter-signature.ts';
import { replayRows } from './rows/replay.ts';
import { routingRows } from './rows/routing.ts';

/** The whole table, in its order. A method of authentication adds a file to rows/ and a name here. */
export const rowGroups: readonly RowGroup[] = [
  keyRows,
  hmacRows,
  parameterSignatureRows,
  oauth2Rows,
  accessRows,
  replayRows,
  identityRows,
  routingRows,
];
