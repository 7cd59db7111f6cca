import type { Config } from '../../gateway/config.ts';
import type { Clock } from '../../base/clock.ts';
import { Sessions } from '../console/sign-in/sessions.ts';
import type { People } from '../api/people.ts';
import { createCommandPeople } from '../console/sign-in/command-people.ts';
import { OpenIdProvider, type OpenIdSettings } from '../console/sign-in/openid/provider.ts';
import type { SignInObserver, SignInPorts } from '../console/sign-in/sign-in.ts';
import { readWholeFile } from '../../base/files/read-whole-file.ts';
import type { SystemOfRecord } from '../../resources/changes/resource-store.ts';
import { findUnseenEdge } from '../../base/text/unseen.ts';
import type { Logger } from '../../gateway/observe/logger.ts';
import type { ManageMetrics } from './manage-metrics.ts';

/** Longer than any secret of a client. */
const MAX_SECRET_BYTES = 16_384;
/** A person waits for it. */
const PROVIDER_TIMEOUT_SECONDS = 5;

/** What signing in to the console needs; null for a store that keeps no sessions. */
export async function openSignIn(
  config: Config,
  {
    store,
    clock,
    observer,
  }: { readonly store: SystemOfRecord; readonly clock: Clock; readonly observer: SignInObserver },
): Promise<SignInPorts | null> {
  const { resources, sessions: kept } = store;
  if (kept === null) return null;
  const sessions = new Sessions({ sessions: kept, resources, clock });
  const provider = await openProvider(config, clock);
  return { resources, sessions, provider, clock, observer };
}

/** People who sign in with a command; null without the settings, and for a store that keeps no sessions. */
export function openCommandPeople(
  config: Config,
  {
    store,
    clock,
    observer,
  }: { readonly store: SystemOfRecord; readonly clock: Clock; readonly observer: SignInObserver },
): People | null {
  const { manageUrl, manageOidcIssuer: issuer, manageOidcDeviceClientId: clientId } = config;
  const { sessions, resources } = store;
  if (sessions === null || manageUrl === null || issuer === null || clientId === null) return null;
  const provider = createProvider({ manageUrl, issuer, clientId, readClientSecret: null }, config, clock);
  return createCommandPeople({
    provider,
    sessions,
    resources,
    observer,
    metadata: {
      resource: manageUrl.origin,
      authorization_servers: [issuer.pathname === '/' ? issuer.origin : issuer.href],
      bearer_methods_supported: ['header'],
      scopes_supported: provider.scope.split(' '),
      postern_client_id: clientId,
    },
  });
}

/**
 * Null without the settings. The provider is first called at a sign-in, so it may be down when this process starts.
 * Rejects when the file of the client's secret cannot be read.
 */
async function openProvider(config: Config, clock: Clock): Promise<OpenIdProvider | null> {
  const { manageUrl, manageOidcIssuer: issuer, manageOidcClientId: clientId, manageOidcClientSecret: path } = config;
  if (manageUrl === null || issuer === null || clientId === null) return null;
  const readClientSecret = path === null ? null : async (): Promise<string> => await readSecret(path);
  await readClientSecret?.();
  return createProvider({ manageUrl, issuer, clientId, readClientSecret }, config, clock);
}

function createProvider(
  {
    manageUrl,
    issuer,
    clientId,
    readClientSecret,
  }: Pick<OpenIdSettings, 'issuer' | 'clientId' | 'readClientSecret'> & { readonly manageUrl: URL },
  config: Config,
  clock: Clock,
): OpenIdProvider {
  return new OpenIdProvider(
    {
      issuer,
      clientId,
      readClientSecret,
      claim: config.manageOidcClaim,
      redirectUri: new URL('/sign-in/callback', manageUrl),
      timeoutSeconds: PROVIDER_TIMEOUT_SECONDS,
    },
    clock,
  );
}

async function readSecret(path: string): Promise<string> {
  const read = await readWholeFile(path, MAX_SECRET_BYTES);
  const text = read.kind === 'read' ? read.text.replace(/\n$/, '') : '';
  const edge = findUnseenEdge(text);
  if (text !== '' && edge === null) return text;
  const unusable = edge === null ? 'the file is empty' : `the secret ${edge}`;
  const reason = read.kind === 'faulty' ? read.message : read.kind === 'read' ? unusable : 'the file is being written';
  throw new Error(`POSTERN_MANAGE_OIDC_CLIENT_SECRET: ${path}: ${reason}`);
}

/** Logs sign-ins, and counts those that are refused; without metrics for the API, which counts its own answers. */
export function createSignInObserver(logger: Logger, metrics: ManageMetrics | null): SignInObserver {
  return {
    signedIn: (operator, by, source) => {
      logger.info('signed in', { operator, by, source });
    },
    refused: (reason, by, source) => {
      metrics?.countRefusedSignIn(by);
      logger.warn('a sign-in was refused', { reason, by, source });
    },
    signedOut: (operator) => {
      logger.info('signed out', { operator });
    },
  };
}
