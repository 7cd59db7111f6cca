import { type Document } from 'mongodb';
import { poll } from '../time/poll.ts';
import { acquireAll } from '../lifetime/release.ts';
import { adminCommand } from './command.ts';
import { type Mongod, startMongod } from './mongod.ts';
import { makeSecurity, root } from './security.ts';

export interface ReplicaSetOptions {
  /** 1 unless stated otherwise. */
  readonly members?: 1 | 3;
  /** Whether clients must say who they are; the administrator is `root` of security.ts. */
  readonly authorization?: boolean;
  readonly tls?: boolean;
  /** Further arguments of every member. */
  readonly args?: readonly string[];
}

/** A replica set for one suite of tests; disposing ends all of it. */
export interface ReplicaSet extends AsyncDisposable {
  readonly members: readonly Mongod[];
  /** Where clients connect: as the administrator, unless `user` says as whom, or null for no user. */
  uri(database?: string, user?: User | null, parameters?: Readonly<Record<string, string>>): string;
  /** Runs a command on the database `admin` of the primary, or of one member. */
  command(command: Document, member?: Mongod): Promise<Document>;
  /** The member that is the primary, as soon as one of those that answer says so. */
  primary(): Promise<Mongod>;
  /** Makes the primary give up its place for some seconds. */
  stepDown(): Promise<void>;
}

/**
 * Who connects. The name is one of the database that {@link ReplicaSet.uri} leads to, unless `source` names another.
 */
export interface User {
  readonly name: string;
  readonly password: string;
  readonly source?: string;
}

const setName = 'postern';
const stepDownSeconds = 10;

/**
 * Starts a replica set whose elections take about two seconds, and waits for its primary: 2 s with one member, 5 s with
 * three.
 */
export async function startReplicaSet(options: ReplicaSetOptions = {}): Promise<ReplicaSet> {
  const { members: count = 1, authorization = false, tls = false, args = [] } = options;
  return await acquireAll(async (keep) => {
    const security = keep(await makeSecurity({ authorization, tls }));
    const all = ['--replSet', setName, ...security.args, ...args];
    const members = await Promise.all(Array.from({ length: count }, async () => keep(await startMongod(all))));

    const address = (hosts: readonly Mongod[], path: string, user: User | null, more: object): string => {
      const login = user === null ? '' : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
      const parameters = new URLSearchParams({
        ...security.parameters,
        ...(user?.source === undefined ? {} : { authSource: user.source }),
        ...more,
      });
      return `mongodb://${login}${hosts.map((host) => host.address).join(',')}/${path}?${String(parameters)}`;
    };
    const administrator = authorization ? { ...root, source: 'admin' } : null;
    const direct = (member: Mongod, user = administrator): string =>
      address([member], '', user, { directConnection: 'true', serverSelectionTimeoutMS: '2000' });
    const uri: ReplicaSet['uri'] = (database = '', user = administrator, parameters = {}) =>
      address(members, database, user, { replicaSet: setName, ...parameters });

    const primary = async (): Promise<Mongod> =>
      await poll('a primary', async () => {
        for (const member of members) {
          // Any client may say hello.
          const answer = await adminCommand(direct(member, null), { hello: 1 }).catch(() => null);
          if (answer?.['isWritablePrimary'] === true) return member;
        }
        return null;
      });
    const command: ReplicaSet['command'] = async (document, member) =>
      await adminCommand(direct(member ?? (await primary())), document);

    const [first] = members;
    if (first === undefined) throw new Error('a replica set has members');
    await adminCommand(direct(first, null), {
      replSetInitiate: {
        _id: setName,
        members: members.map((member, index) => ({ _id: index, host: member.address })),
        settings: { electionTimeoutMillis: 2000, heartbeatIntervalMillis: 500 },
      },
    });
    const elected = await primary();
    if (authorization) {
      // The first user is made from the same machine without one.
      const user = { createUser: root.name, pwd: root.password, roles: ['root'] };
      await adminCommand(direct(elected, null), user);
    }
    return {
      members,
      uri,
      command,
      primary,
      stepDown: async () => {
        await command({ replSetStepDown: stepDownSeconds, secondaryCatchUpPeriodSecs: 5 });
      },
    };
  });
}
