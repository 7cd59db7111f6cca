import { isMapping, textLike } from '../../../model/document/fields.ts';
import { type PlainProblem, readPlain } from '../../../model/document/read-plain.ts';
import { isUnopened } from '../../../model/keyring/sealed.ts';
import { KEPT_APP_KEY_HASH, type KeptPath, KeptSecret } from '../../../model/kept-secret.ts';
import { mapSecrets, type Material, materialFacts, type SecretPath, secretsIn } from '../../../model/material.ts';
import { Secret } from '../../../model/secret.ts';
import { declareWholeCredential, type DocumentCredential, readCredential } from '../../credential.ts';
import { pickFields } from '../../credential-fields.ts';
import type { Declared } from '../../declared.ts';
import type { ManagedCredential } from '../../resource.ts';
import { textOf } from '../generate-credential.ts';
import { endOfAppKey } from '../../app-key-end.ts';

type Read<T> = { readonly value: T } | { readonly problems: readonly PlainProblem[] };

/**
 * What is known of the App Key of a credential without showing one that is secret. The hash of a secret one, from which
 * a weak key could be guessed, is for who asked by that hash: they have the key.
 */
export function declareKnown(credential: ManagedCredential, askedHashes: readonly string[]): Declared {
  const end = endOfAppKey(credential);
  const { appKey, appKeyHash, material } = credential;
  const isShown = materialFacts[material.kind].appKey !== 'secret' || askedHashes.includes(appKeyHash);
  return {
    ...(isShown ? { appKeyHash } : {}),
    keepsAppKey: appKey !== null,
    ...(end === null ? {} : { appKeyEnd: end }),
  };
}

const hashField = textLike(/^[0-9a-f]{64}$/, 'must be a SHA-256');

/** Reads a credential of another process, whose secrets stay there: each is a {@link KeptSecret}. */
export function readKeptCredential(declared: Declared, known: Declared): Read<ManagedCredential> {
  const { appKeyHash, keepsAppKey, appKeyEnd } = known;
  const read = readOwned(declared, declared);
  if ('problems' in read) return read;
  const { id, consumerId, methods, appKey, material } = read.value;
  const isSecret = materialFacts[material.kind].appKey === 'secret';
  const hash = isSecret && appKeyHash === undefined ? KEPT_APP_KEY_HASH : hashField(appKeyHash);
  if (typeof hash !== 'string') return { problems: [{ path: 'appKeyHash', message: 'is missing' }] };
  const kept = new KeptSecret('appKey', { end: typeof appKeyEnd === 'string' ? appKeyEnd : null });
  const value = {
    id: id ?? '',
    consumerId,
    methods,
    appKey: appKey !== null && !isSecret ? Secret.fromText(appKey) : keepsAppKey === true ? kept : null,
    appKeyHash: hash,
    material: mapSecrets(material, (_secret, path): Secret => new KeptSecret(path)),
    ...pickFields(read.value),
  };
  return { value };
}

/** A credential as a change sends it: its new secrets, and which of its secrets are those that the store has. */
export function declareSentCredential(credential: ManagedCredential): {
  readonly after: Declared;
  readonly keeps: Readonly<Partial<Record<KeptPath, KeptPath>>>;
} {
  const { appKey, appKeyHash, material } = credential;
  const keeps: Partial<Record<KeptPath, KeptPath>> = {};
  const texts: Partial<Record<KeptPath, string>> = {};
  const take = (path: KeptPath, secret: Secret): void => {
    if (secret instanceof KeptSecret) keeps[path] = secret.path;
    else texts[path] = textOf(secret);
  };
  for (const [path, secret] of secretsIn(material)) take(path, secret);
  if (materialFacts[material.kind].appKey === 'secret' && appKey !== null) take('appKey', appKey);
  const declared = declareWholeCredential(credential, 'leave-out');
  const former = declared['retiringSecret'];
  const { appSecret, appKey: key, 'retiringSecret.appSecret': formerSecret } = texts;
  const isHashOnly = materialFacts[material.kind].appKey === 'secret' && appKey === null;
  if (isHashOnly && appKeyHash === KEPT_APP_KEY_HASH) keeps.appKey = 'appKey';
  const after = {
    ...declared,
    ...(key === undefined ? {} : { appKey: key }),
    ...(isHashOnly && appKeyHash !== KEPT_APP_KEY_HASH ? { appKeyHash } : {}),
    ...(appSecret === undefined ? {} : { appSecret }),
    ...(isMapping(former) && formerSecret !== undefined
      ? { retiringSecret: { ...former, appSecret: formerSecret } }
      : {}),
  };
  return { after, keeps };
}

/**
 * Reads a credential that a change sends, by the rules of declarative files, with the secrets that it keeps of what is
 * stored. Problems repeat no secret.
 */
export function readSentCredential(
  declared: Declared,
  keeps: Readonly<Record<string, unknown>>,
  stored: ManagedCredential | null,
): Read<ManagedCredential> {
  const read = readOwned(declared, stored === null ? undefined : declareWholeCredential(stored, 'leave-out'));
  if ('problems' in read) return read;
  const { id, consumerId, methods, material, appKey, appKeyHash } = read.value;
  const problems: PlainProblem[] = [];
  const fault = (path: string, message: string): void => {
    problems.push({ path, message });
  };
  if (id === null) fault('id', '"id" is missing');
  if (stored !== null && stored.consumerId !== consumerId) fault('consumer', 'credentials do not change hands');
  const whole = fillSecrets(material, keeps, stored, fault);
  const keepsKey = keeps['appKey'] === 'appKey' && stored !== null;
  const foundBy = keepsKey ? stored.appKeyHash : appKeyHash;
  const wrongKey = faultOfKey(material, foundBy, { keepsKey, stored });
  if (wrongKey !== null) fault('appKey', wrongKey);
  const given = appKey === null ? null : Secret.fromText(appKey);
  const held = keepsKey ? stored.appKey : given;
  if (held === null && materialFacts[material.kind].appKey === 'public') fault('appKey', '"appKey" is missing');
  if (problems.length > 0 || whole === null || id === null || foundBy === null) return { problems };
  const value = {
    id,
    consumerId,
    methods,
    appKey: materialFacts[material.kind].appKey === 'derived' ? null : held,
    appKeyHash: foundBy,
    material: whole,
    ...pickFields(read.value),
  };
  return { value };
}

/**
 * A secret App Key is kept as a secret one only: another would be shown in clear, or found by what the credential does
 * not say. One that was shown is none.
 */
function faultOfKey(
  { kind }: Material<unknown>,
  foundBy: string | null,
  { keepsKey, stored }: { readonly keepsKey: boolean; readonly stored: ManagedCredential | null },
): string | null {
  if (foundBy === null) return '"appKey" is missing';
  const { appKey: now } = materialFacts[kind];
  const before = stored === null ? null : materialFacts[stored.material.kind].appKey;
  if (now === 'secret' && before === 'public' && foundBy === stored?.appKeyHash) {
    return 'the App Key of this credential was public; method key needs a secret one';
  }
  if (!keepsKey || (now === 'secret' && before === 'secret')) return null;
  if (now === 'derived') return 'a credential of method jwt or certificate has no App Key: none is kept';
  return before === 'secret'
    ? 'the App Key of this credential is secret, and no other method keeps it: give another'
    : 'this credential has no secret App Key to keep: give one';
}

function fillSecrets(
  material: Material<Secret | null>,
  keeps: Readonly<Record<string, unknown>>,
  stored: ManagedCredential | null,
  fault: (path: string, message: string) => void,
): Material | null {
  const there = stored === null ? new Map<SecretPath, Secret>() : secretsIn(stored.material);
  const missing: string[] = [];
  const filled = mapSecrets(material, (secret, path): Secret => {
    const kept = secret ?? [...there].find(([from]) => from === keeps[path])?.[1] ?? null;
    const isOpen = path === 'appSecret' || secret !== null || !isUnopened(kept);
    if (kept !== null && isOpen) return kept;
    missing.push(path);
    const why = kept === null ? `"${path}" is missing` : 'cannot be opened by the key ring of the service: end it now';
    fault(path, why);
    return noSecret;
  });
  return missing.length === 0 ? filled : null;
}

const noSecret = Secret.fromText('');

/** A credential with its consumer, as the API and the audit trail have it. */
function readOwned(declared: Declared, stored: Declared | undefined): Read<DocumentCredential> {
  const { consumer, ...own } = declared;
  if (typeof consumer !== 'string') return { problems: [{ path: 'consumer', message: '"consumer" is missing' }] };
  const refused = (): { fault: string } => ({ fault: 'cannot be read here' });
  return readPlain(
    own,
    (raw, place, problems) =>
      readCredential(raw, place, consumer, {
        problems,
        isComplete: false,
        readSecret: refused,
        readKeyFile: refused,
      }).value,
    stored,
  );
}
