import type { Db } from 'mongodb';
import { type Finding, warning } from '../../../base/finding.ts';
import { findOpenGroups } from '../../../resources/changes/rights/open-groups.ts';
import { isGroupGrant } from '../../../model/grant.ts';
import type { LabelOwners } from '../../../model/label-owners.ts';
import type { ResourceKind, ResourceOf } from '../../../resources/resource.ts';
import { describeGrant } from '../../../resources/grant.ts';
import { forGroups } from '../documents.ts';
import type { RawDocument } from '../mapping/document-fault.ts';
import { readStored, recordKinds } from '../record-kinds.ts';

/** More are only counted. */
const MAX_REPORTED = 20;
const SUBJECT = 'grants for groups';
const ADVICE =
  'name a label of the team in its consumerSelector, or reserve one of its labels with POSTERN_MANAGE_LABEL_OWNERS';

/**
 * Warns of grants for groups that operators of other teams can satisfy by labelling their own consumers. What cannot be
 * read is a finding of its own. Rejects as the driver does.
 */
export async function checkOpenGroups(db: Db, labelOwners: LabelOwners): Promise<readonly Finding[]> {
  const grants = (await readAll(db, 'grant', forGroups)).filter(isGroupGrant);
  if (grants.length === 0) return [];
  const open = findOpenGroups(grants, await readAll(db, 'endpoint'), await readAll(db, 'operator'), labelOwners);
  const more = open.length - MAX_REPORTED;
  return [
    ...open
      .slice(0, MAX_REPORTED)
      .map(({ grant, operator }) =>
        warning(
          SUBJECT,
          `anybody can satisfy the ${describeGrant(grant)}: the operator ${operator.id}, who does not reach that endpoint, can give consumers these labels`,
          ADVICE,
        ),
      ),
    ...(more > 0 ? [warning(SUBJECT, `${String(more)} more are such that anybody can satisfy them`, ADVICE)] : []),
  ];
}

async function readAll<K extends ResourceKind>(
  db: Db,
  kind: K,
  filter: object = {},
): Promise<readonly ResourceOf[K][]> {
  const documents = await db.collection<RawDocument>(recordKinds[kind].collection).find(filter).toArray();
  return documents.flatMap((document) => {
    const read = readStored(kind, document, { sealer: null, keepsUnopened: false });
    return 'value' in read ? [read.value.resource] : [];
  });
}
