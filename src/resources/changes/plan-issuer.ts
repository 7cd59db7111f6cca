import { readPlain } from '../../model/document/read-plain.ts';
import type { Issuer } from '../../model/issuer.ts';
import { declareIssuer, declareWholeIssuer, readIssuerAlone } from '../issuer.ts';
import type { Stored } from '../resource.ts';
import type { Planned } from './change.ts';
import { takenId } from './planned-conflict.ts';
import { type ResourceStore, takeFirst } from './resource-store.ts';
import { applyWish, type Wish } from './wish.ts';

/** Plans a new issuer. `others` are all issuers that there are. */
export function planNewIssuer(id: string, wish: Wish, others: readonly Issuer[]): Planned {
  if (others.some((other) => other.id === id)) return takenId('issuer', id);
  return planFrom(null, { ...wish, id }, others);
}

/** Plans a change of an issuer. `others` are all issuers that there are; itself may be among them. */
export function planIssuerEdit(current: Stored<Issuer>, wish: Wish, others: readonly Issuer[]): Planned {
  return planFrom(
    current,
    wish,
    others.filter(({ id }) => id !== current.resource.id),
  );
}

function planFrom(before: Stored<Issuer> | null, wish: Wish, others: readonly Issuer[]): Planned {
  const declared = before === null ? {} : declareIssuer(before.resource);
  const stored = before === null ? undefined : declareWholeIssuer(before.resource);
  const read = readPlain(applyWish(declared, oneWay(wish)), readIssuerAlone, stored);
  if ('problems' in read) return read;
  const after = read.value;
  const holder = others.find(({ issuer }) => issuer === after.issuer);
  if (holder === undefined) return { changes: [{ kind: 'issuer', id: after.id, before, after }] };
  const rule = 'has this "issuer" already; one is enough for all its consumers';
  return {
    conflict: `the issuer "${holder.id}" ${rule}`,
    holder: { kind: 'issuer', id: holder.id, unnamed: `another issuer ${rule}` },
  };
}

/** Keys at an address that are wished take the place of keys of its own, and the other way round, unless both are. */
function oneWay(wish: Wish): Wish {
  const [byUri, byKeys] = ['jwksUri', 'jwks'].map((field) => wish[field] !== undefined);
  if (byUri === byKeys) return wish;
  return byUri === true ? { jwks: undefined, ...wish } : { jwksUri: undefined, ...wish };
}

/** Credentials that are named where an issuer cannot be deleted. */
const MAX_NAMED = 10;

/** Plans that an issuer is no longer; a conflict that names credentials which name it. Rejects as the store does. */
export async function planIssuerDeletion(before: Stored<Issuer>, store: Pick<ResourceStore, 'list'>): Promise<Planned> {
  const { id } = before.resource;
  const named = await takeFirst(store.list('credential', { issuerId: id, most: MAX_NAMED + 1 }), MAX_NAMED + 1);
  if (named.length === 0) return { changes: [{ kind: 'issuer', id, before, after: null }] };
  const shown = named.slice(0, MAX_NAMED).map(({ resource }) => resource.id);
  const list = `${shown.join(', ')}${named.length > MAX_NAMED ? ' and more' : ''}`;
  const rule =
    'revoking does not free it, delete them first ("postern apply --prune"); to refuse its tokens now, disable it';
  return {
    conflict: `credentials name the issuer "${id}": ${list}; ${rule}`,
    // Whose they are is not looked at.
    holder: { kind: 'credential', id: shown[0] ?? '', unnamed: `credentials name the issuer "${id}"; ${rule}` },
  };
}
