import { choiceField, type Field, FieldFault, flagField, idField, textField } from './document/fields.ts';
import { bounded, textBound } from './document/bounds.ts';
import { MAX_NAME_CHARACTERS } from './bounds.ts';
import type { LabelSelector } from './labels.ts';
import { labelsField } from './labels-field.ts';

/** What an operator may do, each role all of the one before and more. */
export const operatorRoles = ['viewer', 'support', 'operator', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** What a role can allow, within the operator's selector. */
export const operatorPermissions = [
  /** See endpoints, consumers, credentials without secrets, grants, limits, usage and replicas. */
  'read',
  /** See what was refused, with addresses and texts to sign, and the audit trail. */
  'read-traces',
  /** Change consumers, credentials and grants, with their limits; see a new secret once. */
  'change-consumers',
  /** Change endpoints and their traffic control. */
  'change-endpoints',
  /** Add, change and remove operators and their tokens. */
  'change-operators',
] as const;
export type Permission = (typeof operatorPermissions)[number];

const permissions: Readonly<Record<OperatorRole, readonly Permission[]>> = {
  viewer: ['read'],
  support: ['read', 'read-traces'],
  operator: ['read', 'read-traces', 'change-consumers'],
  admin: operatorPermissions,
};

/** What a role allows. */
export function permissionsOf(role: OperatorRole): readonly Permission[] {
  return permissions[role];
}

/** Whether a role allows something. */
export function allows(role: OperatorRole, permission: Permission): boolean {
  return permissionsOf(role).includes(permission);
}

/** The roles that allow something, the least first. */
export function rolesFor(permission: Permission): readonly OperatorRole[] {
  return operatorRoles.filter((role) => allows(role, permission));
}

/** A token by which programs call the management API. The token itself is shown once and not kept. */
export interface OperatorToken {
  /** Unique within its operator. */
  readonly id: string;
  /** SHA-256 of the token, 64 lower-case hex characters: a token is 256 random bits. */
  readonly hash: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A person or a program that manages resources over the management API or in the console. */
export interface Operator {
  /** `^[a-z0-9][a-z0-9-]{0,62}$`; the actor of the audit trail. */
  readonly id: string;
  /** What pages show; null when the id stands for it. */
  readonly name: string | null;
  readonly role: OperatorRole;
  /**
   * The labels of the consumers and endpoints that are within reach; all of them when empty. Only an operator who is
   * bound by nothing manages operators.
   */
  readonly selector: LabelSelector;
  /**
   * The hosts of the endpoints that the operator may change, with the grants on them, as `match.hosts` has them; any
   * when empty. Sight is by labels alone.
   */
  readonly hosts: readonly string[];
  /** The prefixes of their paths; any when empty. */
  readonly pathPrefixes: readonly string[];
  /** A disabled operator is refused like an unknown one. */
  readonly enabled: boolean;
  /** Names (DNS, URI or email) of client certificates that identify this operator. */
  readonly certificateNames: readonly string[];
  /** Subjects of the OpenID Connect provider that identify this operator. */
  readonly subjects: readonly string[];
  readonly tokens: readonly OperatorToken[];
}

/** What an operator is of whom no more is said than the id and the role. */
export const operatorDefaults: Omit<Operator, 'id' | 'role'> = {
  name: null,
  selector: {},
  hosts: [],
  pathPrefixes: [],
  enabled: true,
  certificateNames: [],
  subjects: [],
  tokens: [],
};

/** Tokens of one operator at most: each program has its own, and two while it changes. */
export const MAX_TOKENS = 20;
/** Names and subjects of one operator at most. */
export const MAX_IDENTITIES = 20;
/** Characters of what an operator is known by: a subject, or a name in a certificate. */
export const MAX_IDENTITY_LENGTH = 512;

const noIdentities = new FieldFault(
  `must be a list of at most ${String(MAX_IDENTITIES)} different texts of 1 to ${String(MAX_IDENTITY_LENGTH)} characters`,
);
const identitiesField: Field<readonly string[]> = Object.assign(
  (raw: unknown) =>
    Array.isArray(raw) &&
    raw.length <= MAX_IDENTITIES &&
    new Set(raw).size === raw.length &&
    raw.every((each) => typeof each === 'string' && each !== '' && each.length <= MAX_IDENTITY_LENGTH)
      ? (raw as readonly string[])
      : noIdentities,
  { schema: { bsonType: 'array', maxItems: MAX_IDENTITIES, items: { bsonType: 'string' } } },
);

/**
 * What each field of an operator but its tokens and its bounds (resources/operator-bounds.ts) must be, in the order in
 * which it is written.
 */
export const operatorFields = {
  id: idField,
  name: bounded(textField, textBound(MAX_NAME_CHARACTERS)),
  role: choiceField(operatorRoles),
  selector: labelsField,
  enabled: flagField,
  certificateNames: identitiesField,
  subjects: identitiesField,
} as const satisfies {
  readonly [N in Exclude<keyof Operator, 'tokens' | 'hosts' | 'pathPrefixes'>]: Field<NonNullable<Operator[N]>>;
};
