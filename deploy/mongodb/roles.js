// Creates the roles and users of Postern. Run it as an administrator, with the database of POSTERN_STORE:
//
//   mongosh "mongodb://HOST:27017/postern?replicaSet=rs0&authSource=admin" --username ADMIN deploy/mongodb/roles.js
//
// It asks for the password of each new user. Run it again at any time: it updates roles, and existing users keep their
// passwords. POSTERN_STORE is then, for `postern serve`,
//
//   mongodb://postern:PASSWORD@HOST:27017/postern?replicaSet=rs0
//
// Each role has only the rights it needs. With a stolen password of the service one can read resources, with App Secrets
// encrypted; change times of last use, request counts and reports of replicas; and add revoked tokens, used signatures
// and refused requests, but not remove them.
//
//   posternService   `postern serve`: reads and follows resources; writes request counts, times of last use, revoked
//                    tokens, used signatures, refused requests and reports of replicas
//   posternOperator  commands and `postern manage`: reads and changes resources, operators and their sessions, and
//                    answers to requests with an Idempotency-Key; reads and removes refused requests; reads counts; adds
//                    to the audit trail and to the App Keys that are never issued again, without removing anything there
//   posternMigrator  `postern doctor --fix` and the first command on an empty database: creates and migrates collections,
//                    indexes and validators; removes no data

const here = db.getName();

/** Rights on one collection. */
const on = (collection, ...actions) => ({ resource: { db: here, collection }, actions });

/** Rights on all collections of the database. */
const onAll = (...actions) => on('', ...actions);

const resources = ['endpoints', 'consumers', 'credentials', 'grants', 'plans', 'issuers'];

const roles = {
  posternService: [
    ...resources.map((collection) => on(collection, 'find', 'changeStream')),
    on('meta', 'find'),
    on('usage', 'find', 'insert', 'update'),
    on('traffic', 'insert', 'update'),
    on('revokedTokens', 'find', 'insert', 'changeStream'),
    on('replay', 'insert'),
    on('refusals', 'insert'),
    on('replicas', 'insert', 'update', 'remove'),
  ],
  posternOperator: [
    ...resources.map((collection) => on(collection, 'find', 'insert', 'update', 'remove')),
    ...['operators', 'sessions', 'idempotency', 'jobs'].map((collection) =>
      on(collection, 'find', 'insert', 'update', 'remove'),
    ),
    on('meta', 'find', 'insert', 'update'),
    on('formerAppKeys', 'find', 'insert', 'update'),
    on('audit', 'find', 'insert'),
    on('usage', 'find', 'insert', 'update', 'remove'),
    on('refusals', 'find', 'remove'),
    on('traffic', 'find'),
    on('revokedTokens', 'find'),
    on('replicas', 'find', 'remove'),
    onAll('listCollections', 'listIndexes'),
  ],
  posternMigrator: [
    onAll('createCollection', 'collMod', 'createIndex', 'dropIndex', 'listCollections', 'listIndexes'),
    onAll('find', 'insert', 'update'),
  ],
};

for (const [role, privileges] of Object.entries(roles)) {
  if (db.getRole(role) === null) db.createRole({ role, privileges, roles: [] });
  else db.updateRole(role, { privileges, roles: [] });
}

// An operator who also upgrades has both roles.
const users = {
  postern: ['posternService'],
  'postern-operator': ['posternOperator'],
  'postern-migrator': ['posternOperator', 'posternMigrator'],
};

for (const [user, held] of Object.entries(users)) {
  if (db.getUser(user) === null) {
    print(`The password of the new user ${user}:`);
    db.createUser({ user, pwd: passwordPrompt(), roles: held, mechanisms: ['SCRAM-SHA-256'] });
  } else {
    db.updateUser(user, { roles: held });
  }
  print(`${user}: ${held.join(', ')}`);
}
