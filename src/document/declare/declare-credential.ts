import type { ManagedCredential } from '../../manage/resource.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import type { Secret } from '../../model/secret.ts';
import { declareTime } from './declare-time.ts';
import type { Declared } from './declared.ts';

/** Whether secrets are written out, as the text that a partner gets, or left out. */
export type SecretsShown = 'reveal' | 'leave-out';

/**
 * A credential as a declarative file has it. An App Key that is the secret itself, of method `key`, is left out with the
 * secrets (spec §1); where only its hash is kept, the hash stands for it, with the secrets too.
 */
export function declareCredential(credential: ManagedCredential, secrets: SecretsShown): Declared {
  const { id, methods, appSecret, retiringSecret, state, notBefore, expiresAt } = credential;
  const [first, ...others] = methods;
  return {
    id,
    ...(others.length === 0 ? { method: first } : { methods }),
    ...declareAppKey(credential, secrets),
    ...(appSecret === null ? {} : declareSecret(appSecret, secrets)),
    ...(retiringSecret === null
      ? {}
      : {
          retiringSecret: {
            ...declareSecret(retiringSecret.appSecret, secrets),
            expiresAt: declareTime(retiringSecret.expiresAt),
          },
        }),
    ...(state === 'active' ? {} : { state }),
    ...(notBefore === null ? {} : { notBefore: declareTime(notBefore) }),
    ...(expiresAt === null ? {} : { expiresAt: declareTime(expiresAt) }),
  };
}

function declareAppKey({ methods, appKey, appKeyHash }: ManagedCredential, secrets: SecretsShown): Declared {
  if (isAppKeySecret(methods) && secrets === 'leave-out') return {};
  return appKey === null ? { appKeyHash } : { appKey: textOf(appKey) };
}

function declareSecret(secret: Secret, secrets: SecretsShown): Declared {
  return secrets === 'reveal' ? { appSecret: textOf(secret) } : {};
}

function textOf(secret: Secret): string {
  return secret.reveal().toString('utf8');
}
