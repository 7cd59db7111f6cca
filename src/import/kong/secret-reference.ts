/** What stands in for a value, in words, and the environment variable where it can be looked up here. */
export interface ValueReference {
  /** With its article: `a placeholder`; never the text itself. */
  readonly what: string;
  /** Null for what cannot be looked up. */
  readonly env: string | null;
}

/** Kong's own references (kong/pdk/vault.lua): `{vault://name/resource}`. */
const VAULT = /^\{vault:\/\/([^/{}?]+)\/([^/{}?]+)([/?][^{}]*)?\}$/;
/** What decK fills in before it talks to Kong: `${{ env "DECK_NAME" }}`. */
const DECK = /\$\{\{/;
const DECK_VALUE = /^\$\{\{ *env +["']([A-Za-z_][A-Za-z0-9_]*)["'] *\}\}$/;
/** What programs such as envsubst fill in: `${NAME}`, or `$NAME`, in capitals as variables are (a secret may begin with `$`). */
const SHELL_VALUE = /^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Z_][A-Z0-9_]*))$/;
const VAULT_NAME = /^[a-z0-9-]{1,32}$/;

/** Tells what a value refers to; null for a value that stands for itself. */
export function findReference(text: string): ValueReference | null {
  const deck = DECK_VALUE.exec(text)?.[1];
  if (deck !== undefined) return { what: 'a variable of decK', env: deck };
  const shell = SHELL_VALUE.exec(text);
  if (shell !== null) return { what: 'a placeholder ($NAME)', env: shell[1] ?? shell[2] ?? null };
  const vault = VAULT.exec(text);
  if (vault !== null) {
    const [, name = '', resource = '', rest = ''] = vault;
    // kong/vaults/env/init.lua
    const env = name === 'env' && rest === '' ? resource.replaceAll('-', '_').toUpperCase() : null;
    return { what: VAULT_NAME.test(name) ? `a reference to the vault "${name}"` : 'a reference to a vault', env };
  }
  if (text.startsWith('{vault://')) return { what: 'a reference to a vault', env: null };
  return DECK.test(text) ? { what: 'variables of decK', env: null } : null;
}
