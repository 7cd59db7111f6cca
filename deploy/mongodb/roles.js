// Roles and users of Postern, for the MongoDB shell. As an administrator, with the database of POSTERN_STORE:
//
//   mongosh "mongodb://HOST:27017/postern?authSource=admin" --username ADMIN deploy/mongodb/roles.js
//
// It asks for the password of each user that it makes, and can be run again at any time: roles are brought up to date,
// and users that are there keep their passwords. POSTERN_STORE is then, for `postern serve`,
//
//   mongodb://postern:PASSWORD@HOST:27017/postern?replicaSet=rs0
//
// What each may do is all that it needs: a stolen password of the service reads what the check path reads, with App
// Secrets encrypted, and changes nothing but the times of last use, the counts of requests, what replicas say of
// themselves, and the lists of revoked tokens, of used signatures and of refused requests, which it can make longer only.
//
//   posternService   `postern serve`. Reads and watches resources, counts requests, notes when credentials were used, which
//                    tokens were revoked, which signatures used and which requests refused, and says that it is there.
//   posternOperator  commands and `postern manage`. Reads and changes resources, sessions of operators and what requests
//                    with an Idempotency-Key were answered; reads refused requests, and removes those of a consumer who
//                    is deleted; reads counts; adds to the audit trail and cannot change it, nor give an App Key free
//                    that was given once.
//   posternMigrator  makes and migrates collections, indexes and validators: the first command on an empty database, and
//                    `postern doctor --fix` after an upgrade. Removes nothing.

const here = db.getName();

/** Rights on one collection. */
const on = (collection, ...actions) => ({ resource: { db: here, collection }, actions });

/** Rights on all collections of the database. */
const onAll = (...actions) => on('', ...actions);

const resources = ['endpoints', 'consumers', 'credentials', 'grants'];

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
    ...['operators', 'sessions', 'idempotency'].map((collection) =>
      on(collection, 'find', 'insert', 'update', 'remove'),
    ),
    on('meta', 'find', 'insert', 'update'),
    on('formerAppKeys', 'find', 'insert', 'update'),
    on('audit', 'find', 'insert'),
    on('usage', 'find', 'remove'),
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

// An operator who also upgrades gets both roles.
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
