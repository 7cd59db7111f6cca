import { UsageError } from '../failure.ts';
import type { OpenedStore, StoreWish } from '../opened-store.ts';
import { ApiClient } from './api-client.ts';
import { readAuthorities } from '../management-api/authorities.ts';
import { findToken } from './find-token.ts';
import { createRemoteAnswers } from './remote-answers.ts';
import { createRemoteAudit } from './remote-audit.ts';
import { createRemoteRefusals } from './remote-refusals.ts';
import { createRemoteReplicas } from './remote-replicas.ts';
import { RemoteResources } from './remote-resources.ts';

/**
 * Opens the store behind a management API, with the token of a person. Rejects with `UsageError` for settings that are
 * wrong, without a token, and for commands that need what the API never gives: stored secrets, and the database itself.
 */
export async function openRemoteStore(origin: string, wish: StoreWish): Promise<OpenedStore> {
  const { command, environment, needsSecrets, timeoutMs } = wish;
  const obstacle = findObstacle(command, needsSecrets);
  if (obstacle !== null) throw new UsageError(`${obstacle}: POSTERN_STORE is the management API at ${origin}`);
  const token = async () => await findToken(origin, environment);
  await token();
  const authorities = await readAuthorities(environment);
  const client = new ApiClient({ origin, authorities, token, timeoutMs });
  const resources = new RemoteResources(client);
  return {
    resources,
    usage: resources,
    due: null,
    traffic: { counts: countsNone },
    audit: createRemoteAudit(client),
    refusals: createRemoteRefusals(client),
    sealed: null,
    isTokenRevoked: null,
    sessions: null,
    once: null,
    jobs: null,
    directory: null,
    replicas: createRemoteReplicas(client),
    file: null,
    // The API itself names who changes something.
    actor: '',
    answers: createRemoteAnswers(client),
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
    },
  };
}

/** Why a command cannot work over the API; null where it can. */
function findObstacle(command: string, needsSecrets: StoreWish['needsSecrets']): string | null {
  if (command.startsWith('keyring ')) return `"postern ${command}" needs the database (mongodb://…) and the key ring`;
  if (needsSecrets === true) {
    return `"postern ${command}" would show stored secrets, which the management API never gives. Run it with the database (mongodb://…) and its key ring, or make a new secret: "postern credential rotate"`;
  }
  if (needsSecrets === 'new-ring') return '--new-key-ring needs the database (mongodb://…) and the new key ring';
  return null;
}

function countsNone(): never {
  throw new Error('the management API adds counts up itself');
}
