import type { Db } from 'mongodb';
import type { CollectionName } from './documents.ts';

/** What a MongoDB user is for; deploy/mongodb/roles.js makes a role for each. */
export type RightsUse = 'service' | 'operator' | 'migrator';

/** Actions on one collection that a user needs, or on every collection of the database for `''`. */
export interface Right {
  readonly collection: CollectionName | '';
  readonly actions: readonly string[];
  /** What does not work without them; completes a sentence. */
  readonly without: string;
}

const resources = ['endpoints', 'consumers', 'credentials', 'grants', 'plans', 'issuers'] as const;
const forManagement = ['operators', 'sessions', 'idempotency', 'jobs'] as const;
const COMMANDS_FAIL = 'commands and "postern manage" fail where they need it';
const FIX_FAILS = '"postern doctor --fix" fails';

/** The roles that deploy/mongodb/roles.js makes, by use. */
export const roleNames = {
  service: 'posternService',
  operator: 'posternOperator',
  migrator: 'posternMigrator',
} as const satisfies Record<RightsUse, string>;

/** Every right that this version needs, by use: those of deploy/mongodb/roles.js, which a test compares. */
export const neededRights: Readonly<Record<RightsUse, readonly Right[]>> = {
  service: [
    ...resources.map((each) => right(each, ['find', 'changeStream'], 'callers are refused with 503')),
    right('meta', ['find'], 'callers are refused with 503'),
    right('usage', ['find', 'insert', 'update'], 'times of last use are lost, or what ends soon is not reported'),
    right('traffic', ['insert', 'update'], 'counts of requests are lost'),
    right('revokedTokens', ['find', 'insert', 'changeStream'], 'access tokens are refused with 503, or not revoked'),
    right('replay', ['insert'], 'endpoints with replayProtection and clients with a private key get 503'),
    right('refusals', ['insert'], 'refused requests are not kept'),
    right('replicas', ['insert', 'update', 'remove'], '"postern replicas" does not show the replica'),
  ],
  operator: [
    ...[...resources, ...forManagement].map((each) =>
      right(each, ['find', 'insert', 'update', 'remove'], COMMANDS_FAIL),
    ),
    right('meta', ['find', 'insert', 'update'], COMMANDS_FAIL),
    right('formerAppKeys', ['find', 'insert', 'update'], COMMANDS_FAIL),
    right('audit', ['find', 'insert'], COMMANDS_FAIL),
    right('usage', ['find', 'insert', 'update', 'remove'], COMMANDS_FAIL),
    right('refusals', ['find', 'remove'], COMMANDS_FAIL),
    right('traffic', ['find'], COMMANDS_FAIL),
    right('revokedTokens', ['find'], COMMANDS_FAIL),
    right('replicas', ['find', 'remove'], COMMANDS_FAIL),
    right('', ['listCollections', 'listIndexes'], COMMANDS_FAIL),
  ],
  migrator: [
    right('', ['createCollection', 'collMod', 'createIndex', 'dropIndex', 'listCollections', 'listIndexes'], FIX_FAILS),
    right('', ['find', 'insert', 'update'], FIX_FAILS),
  ],
};

function right(collection: Right['collection'], actions: readonly string[], without: string): Right {
  return { collection, actions, without };
}

/** Who a connection is logged in as, and what that user may do. */
export interface UserRights {
  readonly user: string;
  /** Names of the roles it has, also through others. */
  readonly roles: readonly string[];
  /** Null when the server does not say. */
  readonly privileges: readonly unknown[] | null;
}

/** Asks the server; null for a connection without a login. Rejects as the driver does. */
export async function readRights(db: Db, signal?: AbortSignal): Promise<UserRights | null> {
  const asked = { connectionStatus: 1, showPrivileges: true };
  const { authInfo } = await db.command(asked, signal === undefined ? {} : { signal });
  const info = (authInfo ?? {}) as Readonly<Record<string, unknown>>;
  const [user] = listOf(info['authenticatedUsers']) ?? [];
  if (user === undefined) return null;
  const roles = listOf(info['authenticatedUserRoles']) ?? [];
  return {
    user: textOf(user, 'user'),
    roles: roles.map((role) => textOf(role, 'role')),
    privileges: listOf(info['authenticatedUserPrivileges']),
  };
}

/**
 * What a user lacks for a use in a database, the actions of each collection that are missing; none where the server
 * does not say what a user may do.
 */
export function missingRights(
  use: RightsUse,
  database: string,
  { privileges }: Pick<UserRights, 'privileges'>,
): readonly Right[] {
  if (privileges === null) return [];
  return neededRights[use].flatMap((needed) => {
    const given = new Set(privileges.flatMap((each) => actionsOn(needed.collection, database, each)));
    if (given.has('anyAction')) return [];
    const actions = needed.actions.filter((action) => !given.has(action));
    return actions.length === 0 ? [] : [{ ...needed, actions }];
  });
}

/**
 * A missing right in words:
 * `insert on replay: endpoints with replayProtection and clients with a private key get 503`.
 */
export function describeRight({ collection, actions, without }: Right): string {
  const where = collection === '' ? 'every collection' : collection;
  return `${actions.join(', ')} on ${where}: ${without}`;
}

/** The actions that a privilege gives on a collection. An empty name stands for every database or collection. */
function actionsOn(collection: string, database: string, privilege: unknown): readonly unknown[] {
  const { resource, actions } = privilege as { readonly resource?: unknown; readonly actions?: unknown };
  if (typeof resource !== 'object' || resource === null) return [];
  const { db, collection: on, anyResource } = resource as Readonly<Record<string, unknown>>;
  const covers = (db === '' || db === database) && (on === '' || on === collection);
  return covers || anyResource === true ? (listOf(actions) ?? []) : [];
}

function listOf(raw: unknown): readonly unknown[] | null {
  return Array.isArray(raw) ? raw : null;
}

function textOf(raw: unknown, key: string): string {
  const text = (raw as Readonly<Record<string, unknown>>)[key];
  return typeof text === 'string' ? text : '';
}
