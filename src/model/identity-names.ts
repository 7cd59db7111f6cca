const LOWER_X = 0x78;

/**
 * Whether a header of this name may name the caller to the back end, in any case and with `_` for `-` (spec §4.3): only
 * Postern sets such headers.
 */
export function isIdentityName(name: string): boolean {
  if ((name.charCodeAt(0) | 0x20) !== LOWER_X) return false;
  const comparable = name.toLowerCase().replaceAll('_', '-');
  return (
    comparable.startsWith('x-consumer-') ||
    comparable.startsWith('x-credential-') ||
    comparable.startsWith('x-authenticated-') ||
    comparable === 'x-anonymous-consumer'
  );
}
