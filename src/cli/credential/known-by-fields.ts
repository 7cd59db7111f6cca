import type { Material } from '../../model/material.ts';
import { claimsText } from '../../resources/known-by.ts';
import { declareTime } from '../../resources/declared.ts';

/** What a credential without an App Key is known by, field by field, for people; none for one that has an App Key. */
export function knownByFields(material: Material): readonly (readonly [name: string, value: string])[] {
  switch (material.kind) {
    case 'app-key':
    case 'shared-secret':
    case 'public-key':
      return [];
    case 'token-claims':
      return [
        ['issuer', material.issuerId],
        ['claims', claimsText(material.claims)],
      ];
    case 'certificate':
      return certificateFields(material.identity);
  }
}

function certificateFields(
  identity: Extract<Material, { readonly kind: 'certificate' }>['identity'],
): readonly (readonly [name: string, value: string])[] {
  switch (identity.by) {
    case 'certificate':
      return [
        ['certificate', `SHA-256 ${identity.sha256}`],
        ...(identity.notAfter === null ? [] : [['it ends', declareTime(identity.notAfter)] as const]),
      ];
    case 'public-key':
      return [['public key', `SHA-256 ${identity.sha256}`]];
    case 'uri':
    case 'dns':
      return [
        [identity.by === 'uri' ? 'URI' : 'DNS name', identity.name],
        ...identity.authorities.map(
          ({ sha256, notAfter }) => ['issued by', `SHA-256 ${sha256}, ends ${declareTime(notAfter)}`] as const,
        ),
      ];
  }
}
