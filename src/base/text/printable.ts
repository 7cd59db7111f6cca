const MAX_PRINTED_LENGTH = 100;

/** Text from outside in a form that is safe to print: at most 100 characters, all visible ASCII, others as `?`. */
export function printable(text: string): string {
  const visible = text.slice(0, MAX_PRINTED_LENGTH).replace(/[^\x20-\x7e]/g, '?');
  return text.length > MAX_PRINTED_LENGTH ? `${visible}…` : visible;
}

/** `1 grant`, `2 grants`; `shown` is the number as people should see it, such as `12 000` or `no`. */
export function count(number: number, noun: string, shown = String(number)): string {
  return `${shown} ${noun}${number === 1 ? '' : 's'}`;
}

/** `12 345`: long numbers in groups. */
export function grouped(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
