/** How the address lists of consumers and credentials are given and shown. */
export const allowFromWords = {
  /** As the command line has it, once for each network. */
  flag: '--allow-from <network>',
  help: 'a network or address that its requests may come from; anywhere when left out; repeatable',
  /** At the command line, and in the console. */
  name: 'allowed from',
  label: 'Allowed from',
  /** Below the field of a form. */
  hint: 'Optional. A network or address on each line, such as 203.0.113.0/24. Requests from elsewhere are refused.',
  /** Said where there is no list. */
  otherwise: 'anywhere',
} as const;
