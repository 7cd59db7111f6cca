import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ID_PATTERN } from '../../model/document/fields.ts';
import type { Planned } from '../../resources/changes/change.ts';
import {
  declareHandedOver,
  DEFAULT_GRACE,
  type HandedOver,
  newPair,
  planCredential,
  planOwnRotation,
} from '../../resources/changes/issue-credential.ts';
import { knownByAfter } from '../../resources/changes/known-by-after.ts';
import { planRevocation } from '../../resources/changes/plan-credential.ts';
import { declareKeys } from '../../resources/changes/shown-credential.ts';
import { editedCredentialKind, planCredentialEdit } from '../../resources/changes/plan-credential-edit.ts';
import { takenCredentialId } from '../../resources/changes/planned-conflict.ts';
import { isOutcomeUnknown } from '../../resources/changes/store-fault.ts';
import { MAX_APP_KEY_CHARACTERS } from '../../model/app-key.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../model/endpoint.ts';
import { materialFacts, materialKindOf } from '../../model/material.ts';
import type { Operator } from '../../model/operator.ts';
import { describeKeyFault } from '../../model/public-key/public-key-fault.ts';
import { PublicKey } from '../../model/public-key/public-key.ts';
import { MAX_PUBLIC_KEY_CHARACTERS, readPublicKey } from '../../model/public-key/read-public-key.ts';
import { Secret } from '../../model/secret.ts';
import { MAX_APP_SECRET_CHARACTERS } from '../../resources/app-secret.ts';
import { declareWholeCredential } from '../../resources/credential.ts';
import { declareGiven, givenFields, type GivenName } from '../../resources/credential-fields.ts';
import { knownByFields } from '../../resources/credential-material.ts';
import { type Declared, declareTime } from '../../resources/declared.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { addAction } from './action-route.ts';
import { requirePermission } from './authenticate.ts';
import { changesOf, commit, type CommitPorts, conflictOf, operationOf } from './change.ts';
import { issuedSchema, rotationAnswer } from './credential-shapes.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem, invalidResource } from './problem.ts';
import { reachCredential, requireReached, selectorOf } from './reach.ts';
import {
  changeQuery,
  etagAfter,
  etagOf,
  idParam,
  momentBody,
  requireRevision,
  revisionHeaders,
  spanOf,
  spanParam,
  textBody,
  textsBody,
} from './request.ts';
import { jsonSchemaOf } from './schema.ts';
import { answers, bodyOf, changeAnswer, objectWith } from './shapes.ts';
import { wishOfPatch } from './wish-of-body.ts';

const tags = ['Credentials'];
const params = z.object({ id: idParam });
const idBody = z.string().regex(ID_PATTERN);

/** What gives a new credential its fields. */
const givenBodies = Object.fromEntries(
  givenFields.map(({ name, declared, isTime, isList }) => [
    name,
    (isTime ? momentBody : isList ? textsBody(declared) : textBody(declared)).optional(),
  ]),
) as Readonly<Record<GivenName, z.ZodOptional<typeof momentBody>>>;

/** What a new credential has, whether its pair is generated or brought along. */
const newCredential = z
  .object({
    consumer: idBody.openapi({ description: 'The consumer who gets it.' }),
    id: idBody.optional().openapi({ description: 'Generated where it is left out.' }),
    ...givenBodies,
    hashOnly: z
      .boolean()
      .default(false)
      .openapi({ description: 'For method key only: keep only the hash of the App Key.' }),
  })
  .strict();

/** Their forms, as the shown credential has them. */
const namedSchemas = jsonSchemaOf({ what: 'a credential', fields: knownByFields, required: [] })[
  'properties'
] as Readonly<Record<'claims' | 'certificate', object>>;

const keyBody = z.string().max(MAX_PUBLIC_KEY_CHARACTERS);
const kidBody = z
  .string()
  .max(MAX_PUBLIC_KEY_CHARACTERS)
  .optional()
  .openapi({ description: 'Which key, where `publicKey` is a JWK set.' });

/** What a credential of method jwt or certificate is known by; its reader looks at it. */
const knownByBody = {
  issuer: idBody.optional().openapi({ description: 'For jwt: the id of the issuer whose tokens the partner sends.' }),
  claims: z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({ ...namedSchemas.claims, description: 'For jwt: the claims that these tokens have, all of them.' }),
  certificate: z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({
      ...namedSchemas.certificate,
      description:
        'For certificate: one of `pem`, `sha256`, `publicKeySha256`, `uri` and `dns`; the last two with the certificate of the authority.',
    }),
};

const issueBody = newCredential
  .extend({
    method: z.enum(authenticationMethods),
    publicKey: keyBody.optional().openapi({
      description:
        'The text of a public key of the partner, as PEM, certificate, JWK or JWK set: what it signs with in place of an App Secret. Needed for http-message-signature; for oauth2 it may be given.',
    }),
    kid: kidBody,
    ...knownByBody,
    appKey: z.string().min(1).max(MAX_APP_KEY_CHARACTERS).optional().openapi({
      description:
        'Beside `publicKey`: what the partner sends as key id. `thumbprint` stands for the thumbprint of the key; generated where it is left out.',
    }),
  })
  .openapi('CredentialIssue');

const importBody = newCredential
  .extend({
    methods: z.array(z.enum(authenticationMethods)).min(1).max(authenticationMethods.length),
    appKey: z.string().max(MAX_APP_KEY_CHARACTERS).openapi({ description: 'For key alone, this is the secret.' }),
    // Characters of the schema may be two of JavaScript's.
    appSecret: z
      .string()
      .max(2 * MAX_APP_SECRET_CHARACTERS)
      .optional()
      .openapi({ maxLength: MAX_APP_SECRET_CHARACTERS, description: 'For every method but key.' }),
  })
  .openapi('CredentialImport');

const rotateBody = z
  .object({
    grace: spanParam
      .default(DEFAULT_GRACE)
      .openapi({ description: 'How long the former secret still works; `0` ends it at once.' }),
    force: z
      .boolean()
      .default(false)
      .openapi({ description: 'Also while the former secret of the last rotation works: it ends now.' }),
    id: idBody
      .optional()
      .openapi({ description: 'For methods key, jwt and certificate only: the id of the second credential.' }),
    publicKey: keyBody.optional().openapi({
      description: 'The new key, of a credential that has one: PEM, certificate, JWK or JWK set.',
    }),
    kid: kidBody,
    ...knownByBody,
  })
  .strict()
  .openapi('CredentialRotation');

const editBody = objectWith('CredentialPatch', jsonSchemaOf(editedCredentialKind, { isPatch: true }));

/** Adds the routes that issue, import, edit, rotate and revoke credentials of consumers within reach. */
export function addCredentialChanges(api: OpenAPIHono<ApiEnvironment>, { store, clock }: ApiPorts): void {
  const { resources } = store;

  /** Plans a credential of a consumer within reach. */
  const plan = async (
    operator: Operator,
    { consumer, id, hashOnly, ...given }: z.infer<typeof newCredential>,
    methods: readonly string[],
    {
      appKey,
      appSecret,
      publicKey,
      knownBy,
    }: HandedOver & { readonly publicKey: PublicKey | null; readonly knownBy: Declared | null },
  ): Promise<{ readonly id: string; readonly changes: Awaited<ReturnType<typeof changesOf>> }> => {
    await requireReached(operator, 'consumer', consumer, resources);
    const nowSeconds = clock.nowSeconds();
    const { id: taken, planned } = await planCredential(
      {
        id: id ?? null,
        consumerId: consumer,
        methods,
        appKey,
        appSecret,
        publicKey,
        keepsHashOnly: hashOnly,
        fields: { ...declareGiven(given, nowSeconds), ...knownBy },
      },
      resources,
      nowSeconds,
      selectorOf(operator),
    );
    return { id: taken, changes: await changesOf(inBody(planned), operator, resources) };
  };

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/credentials:issue',
      tags,
      operationId: 'issueCredential',
      summary: 'Generate a credential for a consumer. Its App Key and App Secret are in this answer only.',
      description: 'With `dryRun` the answer says what would be made, without secrets: each call generates others.',
      request: { query: changeQuery, body: bodyOf(issueBody) },
      responses: answers({ 200: changeAnswer, 201: issuedSchema }, { 201: ['ETag', 'Location'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const {
        method,
        publicKey: keyText,
        kid,
        appKey,
        issuer,
        claims,
        certificate,
        ...wish
      } = context.req.valid('json');
      const publicKey = readKey(keyText, kid);
      requireKey(method, publicKey, appKey);
      const pair = newPair(publicKey === null ? materialKindOf([method]) : 'public-key', publicKey, appKey ?? null);
      const { id, changes } = await plan(operator, wish, [method], {
        ...pair,
        publicKey,
        knownBy: knownByOf({ issuer, claims, certificate }),
      });
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'credential issue');
      const outcome = await commitSecret(id, changes, { resources, operation, isDryRun });
      if (outcome.dryRun) return context.json(outcome, 200);
      const made = credentialOf(changes);
      const headers = { etag: etagOf({ revision: 1 }), location: `/v1/credentials/${id}` };
      return context.json(
        { ...declareHandedOver(made, pair), ...declareKeys(made.material), revision: 1 },
        201,
        headers,
      );
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/credentials:import',
      tags,
      operationId: 'importCredential',
      summary: 'Take over an App Key and an App Secret that a partner already has. No answer repeats them.',
      request: { query: changeQuery, body: bodyOf(importBody) },
      responses: answers({ 200: changeAnswer, 201: issuedSchema }, { 201: ['ETag', 'Location'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const { methods, appKey, appSecret = null, ...wish } = context.req.valid('json');
      const pair = {
        appKey: Secret.fromText(appKey),
        appSecret: appSecret === null ? null : Secret.fromText(appSecret),
        publicKey: null,
        knownBy: null,
      };
      const { id, changes } = await plan(operator, wish, methods, pair);
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'credential import');
      const outcome = await commit(changes, { resources, operation, isDryRun });
      if (outcome.dryRun) return context.json(outcome, 200);
      const made = declareWholeCredential(credentialOf(changes), 'leave-out');
      const headers = { etag: etagOf({ revision: 1 }), location: `/v1/credentials/${id}` };
      return context.json({ ...made, revision: 1 }, 201, headers);
    },
  );

  addAction(
    api,
    createRoute({
      method: 'post',
      path: '/v1/credentials/{id}:rotate',
      tags,
      operationId: 'rotateCredential',
      summary: 'Give a credential a new secret, which is in this answer only; the former one works for a while.',
      description:
        'The App Key stays and the App Secret is new; a credential with a public key gets the one that is given. For key, where the App Key is the secret, a second credential is issued and the former one retires.',
      request: { params, query: changeQuery, headers: revisionHeaders, body: bodyOf(rotateBody) },
      responses: answers({ 200: rotationAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const { credential: current } = await reachCredential(operator, context.req.valid('param').id, resources);
      requireRevision(current, context.req.valid('header')['if-match']);
      const { grace, force, id = null, publicKey, kid, ...names } = context.req.valid('json');
      if (id !== null && materialFacts[current.resource.material.kind].appKey === 'public') {
        const message = 'is for methods key, jwt and certificate only, where a second credential follows';
        throw invalidResource([{ path: 'id', message }]);
      }
      const taken = id === null ? null : await resources.find('credential', id);
      if (taken !== null) throw await conflictOf(takenCredentialId(taken.resource.id), operator, resources);
      const wish = {
        graceSeconds: spanOf('grace', grace),
        endsFormerSecret: force,
        successorId: id,
        publicKey: readKey(publicKey, kid),
        knownBy: knownByAfter(current.resource.material, knownByOf(names)),
      };
      const planned = planOwnRotation(current, wish, clock.nowSeconds());
      if ('conflict' in planned) throw await conflictOf(planned, operator, resources);
      if ('problems' in planned) throw invalidResource(planned.problems);
      const { changes, carrier, formerEndsAt, handedOver } = planned;
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'credential rotate');
      const outcome = await commitSecret(carrier.id, changes, { resources, operation, isDryRun });
      const planning: Declared = { ...outcome, formerEndsAt: declareTime(formerEndsAt) };
      if (outcome.dryRun) return context.json(planning, 200);
      const revision = carrier.id === current.resource.id ? current.revision + 1 : 1;
      const credential = { ...declareHandedOver(carrier, handedOver), ...declareKeys(carrier.material), revision };
      return context.json({ ...planning, credential }, 200, { etag: etagOf({ revision }) });
    },
  );

  api.openapi(
    createRoute({
      method: 'patch',
      path: '/v1/credentials/{id}',
      tags,
      operationId: 'editCredential',
      summary: 'Change it: a JSON Merge Patch (RFC 7396), in which null gives a field its default again.',
      request: { params, query: changeQuery, headers: revisionHeaders, body: bodyOf(editBody) },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const { credential: current } = await reachCredential(operator, context.req.valid('param').id, resources);
      requireRevision(current, context.req.valid('header')['if-match']);
      const wish = wishOfPatch(context.req.valid('json'), editedCredentialKind);
      const changes = await changesOf(planCredentialEdit(current, wish, clock.nowSeconds()), operator, resources);
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'credential edit');
      const outcome = await commit(changes, { resources, operation, isDryRun });
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  addAction(
    api,
    createRoute({
      method: 'post',
      path: '/v1/credentials/{id}:revoke',
      tags,
      operationId: 'revokeCredential',
      summary: 'Refuse a credential, with its former secret and its tokens.',
      request: { params, query: changeQuery, headers: revisionHeaders },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const { credential: current } = await reachCredential(operator, context.req.valid('param').id, resources);
      requireRevision(current, context.req.valid('header')['if-match']);
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'credential revoke');
      const outcome = await commit(planRevocation(current), { resources, operation, isDryRun });
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );
}

/** The public key of a body; null where none is given. Throws a problem that repeats nothing of it. */
function readKey(text: string | undefined, kid: string | undefined): PublicKey | null {
  if (text === undefined) {
    if (kid === undefined) return null;
    throw invalidResource([{ path: 'kid', message: 'chooses a key of the set in "publicKey", which is missing' }]);
  }
  const read = readPublicKey(text, kid);
  if (read instanceof PublicKey) return read;
  throw invalidResource([{ path: 'publicKey', message: describeKeyFault('"publicKey"', read) }]);
}

/** What a body says that a credential is known by, as a declarative file has it; null for nothing. */
function knownByOf({
  issuer,
  claims,
  certificate,
}: {
  readonly issuer?: string | undefined;
  readonly claims?: Declared | undefined;
  readonly certificate?: Declared | undefined;
}): Declared | null {
  const given = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(claims === undefined ? {} : { claims }),
    ...(certificate === undefined ? {} : { certificate }),
  };
  return Object.keys(given).length === 0 ? null : given;
}

/** Throws a problem where a key is missing, or an App Key has none beside it. */
function requireKey(method: AuthenticationMethod, publicKey: PublicKey | null, appKey: string | undefined): void {
  if (publicKey !== null) return;
  if (materialKindOf([method]) === 'public-key') {
    const message = `"publicKey" is missing; a credential for ${method} has the public key of its partner`;
    throw invalidResource([{ path: 'publicKey', message }]);
  }
  if (appKey === undefined) return;
  const message = '"appKey" goes with "publicKey"; credentials:import takes over an App Key with its secret';
  throw invalidResource([{ path: 'appKey', message }]);
}

/** Problems by the names of the body. */
function inBody(planned: Planned): Planned {
  if (!('problems' in planned)) return planned;
  const problems = planned.problems.map(({ path, message }) => ({
    path: path === 'appKeyHash' ? 'hashOnly' : path,
    message,
  }));
  return { problems };
}

function credentialOf(changes: Awaited<ReturnType<typeof changesOf>>): ManagedCredential {
  const [made] = changes.flatMap((change) => (change.kind === 'credential' ? (change.after ?? []) : []));
  if (made === undefined) throw new Error('no credential was planned');
  return made;
}

/** Commits a new secret. Where that is not confirmed, the problem says what to do: the secret is in no other answer. */
async function commitSecret(
  id: string,
  changes: Parameters<typeof commit>[0],
  ports: CommitPorts,
): ReturnType<typeof commit> {
  try {
    return await commit(changes, ports);
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    const detail = `the store did not confirm the change: look at the credential "${id}"; where it has changed, rotate it`;
    throw new ApiProblem('OUTCOME_UNKNOWN', detail);
  }
}
