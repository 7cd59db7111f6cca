import { settings } from '../../gateway/config.ts';
import type { Declared } from '../../resources/declared.ts';
import { declareHandedOver, type HandedOver } from '../../resources/changes/issue-credential.ts';
import type { UsableEndpoint } from '../../resources/changes/usable-endpoints.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import { declareKeys } from '../../resources/changes/shown-credential.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { proofOf } from '../../check/methods/methods.ts';
import type { PartnerEndpoint } from '../../model/endpoint.ts';
import { appSecretOf, canBeTried, materialFacts } from '../../model/material.ts';
import { declareWholeCredential } from '../../resources/credential.ts';
import { isRefusal } from '../../check/refusal.ts';
import type { CommandContext } from '../command.ts';
import { readRequestArguments } from '../flags/inputs.ts';
import { curlCommand, quote } from '../../check/signing/curl-command.ts';
import { knownByFields } from '../../resources/known-by.ts';
import { signRequest } from '../partner/sign-request.ts';
import { paintFor } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';

const FIELD_WIDTH = 12;

/** Where a credential gets in. */
interface Uses {
  readonly usable: readonly UsableEndpoint[];
  /** The folder with all that the partner has to know; null where none is written. */
  readonly writtenTo: string | null;
  /** Whether `credential show --reveal` can show it again here. */
  readonly canReveal: boolean;
}

/**
 * What `issue` and `rotate` print: the credential with its App Key and App Secret, the only texts with secrets, and
 * commands to try it. `appKey` is as it was generated: a credential that keeps only a hash does not have it any more.
 */
export function handOver(
  credential: ManagedCredential,
  handedOver: HandedOver,
  { usable, writtenTo, canReveal }: Uses,
  { terminal }: CommandContext,
): { readonly text: string; readonly data: Declared } {
  const { appKey, appSecret } = handedOver;
  const paint = paintFor(terminal);
  const { material } = credential;
  if (appKey === null) {
    const lines = [
      ...knownByFields(material).map(([name, value]) => `  ${name.padEnd(FIELD_WIDTH)}${value}`),
      '',
      'Nothing of it is a secret, and there is no App Key.',
      '',
      ...tryLines(credential, usable, publicUrlOf(terminal.environment)),
    ];
    return { text: `${lines.join('\n')}\n`, data: declareWholeCredential(credential, 'leave-out') };
  }
  if (material.kind === 'public-key') {
    const { publicKey } = material;
    const lines = [
      `  App Key     ${paint.bold(textOf(appKey))}`,
      `  Public key  ${publicKey.description}`,
      `  Thumbprint  ${publicKey.thumbprint}`,
      '',
      'Have the partner compare the thumbprint, and tell it the App Key, with which it signs. Neither is a secret.',
      '',
      ...(writtenTo === null
        ? tryLines(credential, usable, publicUrlOf(terminal.environment))
        : [`Only the partner can try it. Send it the folder ${writtenTo}:`]),
    ];
    const data = { ...declareHandedOver(credential, handedOver), ...declareKeys(material) };
    return { text: `${lines.join('\n')}\n`, data };
  }
  const word = appSecret === null ? 'it' : 'them';
  const kept = canReveal
    ? `To see ${word} again: postern credential show ${credential.id} --reveal`
    : 'It is shown here only: the management API shows no stored secret.';
  const lines = [
    `  App Key     ${paint.bold(textOf(appKey))}`,
    ...(appSecret === null ? [] : [`  App Secret  ${paint.bold(textOf(appSecret))}`]),
    '',
    `Hand ${word} to the partner over a safe channel. ${
      credential.appKey === null ? 'It cannot be shown again: only its hash is kept.' : kept
    }`,
    '',
    ...tryLines(credential, usable, publicUrlOf(terminal.environment)),
  ];
  return { text: `${lines.join('\n')}\n`, data: declareHandedOver(credential, handedOver) };
}

/** Commands to try a credential, or what is missing before it can be used. */
export function tryLines(
  credential: ManagedCredential,
  usable: readonly UsableEndpoint[],
  publicUrl: string,
): readonly string[] {
  const { consumerId, methods, material } = credential;
  const [first] = usable;
  if (first === undefined) {
    return [
      `No endpoint lets ${consumerId} in with ${methods.join(' or ')} yet:`,
      `  $ postern grant add --endpoint ID --consumer ${consumerId}`,
    ];
  }
  if (!canBeTried(material)) {
    return [
      `Only the partner can try it, with its ${materialFacts[material.kind].secret}. What it has to know:`,
      `  $ postern handover --credential ${credential.id} --url ${publicUrl}`,
    ];
  }
  const word = materialFacts[material.kind].secret;
  const commands = exampleCommands(credential, first.endpoint, publicUrl);
  return [
    `Try it on ${first.endpoint.id} (the first command waits for the ${word} to be pasted):`,
    ...commands.map((command) => `  $ ${command}`),
  ];
}

/** Where callers reach Envoy. */
export function publicUrlOf(environment: Terminal['environment']): string {
  return environment[settings.publicUrl.name] || settings.publicUrl.default;
}

/**
 * Commands that a person can copy to try a credential on an endpoint. They take the secret from the environment,
 * because `ps` and the shell's history show command lines. `publicUrl` is where callers reach Envoy.
 */
export function exampleCommands(
  { material, appKey }: ManagedCredential,
  endpoint: PartnerEndpoint,
  publicUrl: string,
): readonly string[] {
  const { method, url, host } = requestFor(endpoint, publicUrl);
  const proof = proofOf(endpoint);
  const isKey = materialFacts[material.kind].appKey === 'secret';
  const secretName = isKey || proof === 'app-key' ? 'APP_KEY' : 'APP_SECRET';
  const read = `read -rs ${secretName} && export ${secretName}`;
  const publicKey = isKey || appKey === null ? null : textOf(appKey);
  const hostFlag = host === null ? '' : ` -H 'Host: ${host}'`;
  if (proof === 'token') {
    const token = `curl -sS -K - -d grant_type=client_credentials ${publicUrl}/oauth2/token`;
    return [
      read,
      `printf 'user = "%s:%s"\\n' ${publicKey ?? 'APP_KEY'} "$${secretName}" | ${token}`,
      `curl -i -sS -X ${method}${hostFlag} ${quote(url)} -H "Authorization: Bearer $TOKEN"   # the access_token of that answer`,
    ];
  }
  const key = proof === 'app-key' || publicKey === null ? '' : ` --app-key ${publicKey}`;
  const sign = `postern sign ${method} ${quote(url)}${hostFlag} --endpoint ${endpoint.id}${key}`;
  return [read, `${sign} --secret-from env:${secretName} | sh`];
}

/**
 * The example as a `curl` command that is signed with the credential, valid for as long as the endpoint's clock skew.
 * Null where nothing can be signed: OAuth2, and an App Key of which only the hash is kept.
 */
export function signedExample(
  { appKey, material }: ManagedCredential,
  endpoint: PartnerEndpoint,
  publicUrl: string,
  nowSeconds: number,
): string | null {
  const proof = proofOf(endpoint);
  const secret = proof === 'app-key' ? appKey : appSecretOf(material);
  if (proof === 'token' || secret === null || appKey === null) return null;
  const { method, url, host } = requestFor(endpoint, publicUrl);
  const headers = host === null ? [] : [`Host: ${host}`];
  const { request, origin } = readRequestArguments({ method, url, headers, data: null });
  const signed = signRequest(request, endpoint, {
    appKey: textOf(appKey),
    secret: textOf(secret),
    privateKey: null,
    alsoSigned: [],
    nowSeconds,
  });
  return isRefusal(signed) ? null : curlCommand(signed, origin);
}

/** A request that an endpoint takes; `host` is null where any will do. */
function requestFor(
  { match: { hosts, paths, methods } }: PartnerEndpoint,
  publicUrl: string,
): { readonly method: string; readonly url: string; readonly host: string | null } {
  const [rule] = paths;
  const path = rule === undefined ? '/' : 'prefix' in rule ? rule.prefix : rule.exact;
  const [host = null] = hosts;
  return {
    method: methods[0] ?? 'GET',
    url: `${publicUrl}${path}`,
    host: host?.startsWith('*.') === true ? `api${host.slice(1)}` : host,
  };
}
