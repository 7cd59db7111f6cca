import { webcrypto } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { fetch } from 'undici';
import { agentFor } from './send.mjs';

const parameters = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  Ed25519: { name: 'Ed25519' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
};

const importKey = async ({ alg, jwk }) =>
  await webcrypto.subtle.importKey('jwk', jwk, parameters[alg], false, ['sign']);

/** A fetch that trusts the authority, and keeps the last request's form for the answer. */
function recordingFetch(question) {
  const sent = { form: null };
  const dispatcher = agentFor(question);
  return {
    sent,
    fetch: async (url, options) => {
      if (options.body !== undefined && options.body !== null)
        sent.form = Object.fromEntries(new URLSearchParams(options.body));
      return await fetch(url, { ...options, dispatcher });
    },
  };
}

/** The answer of the last time: the token, or the error that the client made of the refusal. */
async function outcome({ times }, sent, ask) {
  try {
    let token;
    for (let time = 0; time < times; time += 1) ({ access_token: token } = await ask());
    return { token, form: sent.form };
  } catch (error) {
    const { error: code, error_description: description } = error.cause ?? error;
    return { refusal: { code: code ?? error.code ?? String(error), description }, form: sent.form };
  }
}

const discover = async ({ issuer, clientId, key }, customFetch) =>
  await openid.discovery(new URL(issuer), clientId, undefined, openid.PrivateKeyJwt(await importKey(key)), {
    algorithm: 'oauth2',
    [openid.customFetch]: customFetch,
  });

/** With openid-client: whether a token is active, and whether it still is after it was revoked. */
export async function tokenLife(question) {
  const configuration = await discover(question, recordingFetch(question).fetch);
  const { access_token: token } = await openid.clientCredentialsGrant(configuration);
  const before = await openid.tokenIntrospection(configuration, token);
  await openid.tokenRevocation(configuration, token);
  const after = await openid.tokenIntrospection(configuration, token);
  return { active: [before.active, after.active] };
}

/** By the name of the package. */
export const tokenClients = {
  'openid-client': async (question) => {
    const { sent, fetch: customFetch } = recordingFetch(question);
    const configuration = await discover(question, customFetch);
    return await outcome(question, sent, async () => await openid.clientCredentialsGrant(configuration));
  },
  oauth4webapi: async (question) => {
    const { sent, fetch: customFetch } = recordingFetch(question);
    const options = { [oauth.customFetch]: customFetch };
    const issuer = new URL(question.issuer);
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
    const server = await oauth.processDiscoveryResponse(issuer, discovered);
    const client = { client_id: question.clientId };
    const authentication = oauth.PrivateKeyJwt(await importKey(question.key));
    return await outcome(question, sent, async () => {
      const answer = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, options);
      return await oauth.processClientCredentialsResponse(server, client, answer);
    });
  },
};
