import { settings } from '../../config.ts';
import type { UsableEndpoint } from '../../manage/credentials/usable-endpoints.ts';
import { declareTime } from '../../document/declare/declare-time.ts';
import type { Declared } from '../../document/declare/declared.ts';
import type { ManagedCredential } from '../../manage/resource.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import { Secret } from '../../model/secret.ts';
import type { Paint } from '../../manage/render-change.ts';
import { declareWholeCredential } from '../../document/declare/declare-whole.ts';
import type { Terminal } from '../terminal.ts';
import { exampleCommands } from './example-request.ts';

/** What a partner gets: the only texts with secrets that `issue` and `rotate` print. */
export interface HandedOver {
  readonly credential: ManagedCredential;
  /** As it was generated: a credential that keeps only a hash does not have it any more. */
  readonly appKey: string;
  readonly appSecret: string | null;
  readonly usable: readonly UsableEndpoint[];
}

/** App Key and App Secret for people, with commands to try them. */
export function renderHandedOver(
  { credential, appKey, appSecret, usable }: HandedOver,
  environment: Terminal['environment'],
  paint: Paint,
): string {
  const { id } = credential;
  const isKept = credential.appKey !== null;
  const lines = [
    `  App Key     ${paint.bold(appKey)}`,
    ...(appSecret === null ? [] : [`  App Secret  ${paint.bold(appSecret)}`]),
    '',
    `Hand ${appSecret === null ? 'it' : 'them'} to the partner over a safe channel. ${
      isKept
        ? `To see ${appSecret === null ? 'it' : 'them'} again: postern credential show ${id} --reveal`
        : 'It cannot be shown again: only its hash is kept.'
    }`,
    '',
    ...tryLines(credential, usable, publicUrlOf(environment)),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same for programs: the credential as it is declared, with its App Key and App Secret. */
export function declareHandedOver({ credential, appKey }: HandedOver): Declared {
  const declared = declareWholeCredential({ ...credential, appKey: Secret.fromText(appKey) }, 'reveal');
  const { retiringSecret } = credential;
  // The partner has the former one.
  return retiringSecret === null
    ? declared
    : { ...declared, retiringSecret: { expiresAt: declareTime(retiringSecret.expiresAt) } };
}

/** Commands to try a credential, or what is missing before it can be used. */
export function tryLines(
  credential: ManagedCredential,
  usable: readonly UsableEndpoint[],
  publicUrl: string,
): readonly string[] {
  const { consumerId, methods } = credential;
  const [first] = usable;
  if (first === undefined) {
    return [
      `No endpoint lets ${consumerId} in with ${methods.join(' or ')} yet:`,
      `  $ postern grant add --endpoint ID --consumer ${consumerId}`,
    ];
  }
  const word = isAppKeySecret(methods) ? 'App Key' : 'App Secret';
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
