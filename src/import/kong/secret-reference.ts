/** What stands in for a value: the name of an environment variable, or something that cannot be looked up here. */
export type ValueReference = { readonly env: string } | { readonly what: string };

/** Kong's own references (kong/pdk/vault.lua): `{vault://name/resource}`. */
const VAULT = /^\{vault:\/\/([^/{}?]+)\/([^/{}?]+)([/?][^{}]*)?\}$/;
/** What decK fills in before it talks to Kong: `${{ env "DECK_NAME" }}`. */
const DECK = /\$\{\{/;
const DECK_VALUE = /^\$\{\{ *env +["']([A-Za-z_][A-Za-z0-9_]*)["'] *\}\}$/;
/** What programs such as envsubst fill in. */
const SHELL_VALUE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** Tells what a value refers to; null for a value that stands for itself. */
export function findReference(text: string): ValueReference | null {
  const variable = (DECK_VALUE.exec(text) ?? SHELL_VALUE.exec(text))?.[1];
  if (variable !== undefined) return { env: variable };
  const vault = VAULT.exec(text);
  if (vault !== null) {
    const [, name = '', resource = '', rest = ''] = vault;
    // kong/vaults/env/init.lua
    if (name === 'env' && rest === '') return { env: resource.replaceAll('-', '_').toUpperCase() };
    return { what: 'a vault' };
  }
  if (text.startsWith('{vault://')) return { what: 'a vault' };
  return DECK.test(text) ? { what: 'variables of decK' } : null;
}
