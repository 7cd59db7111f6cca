import type { Consumer } from '../model/consumer.ts';

/** A text of a consumer: the flag and the form field that give it, and what it is called where it is shown. */
interface ConsumerText {
  /** As the command line has it: `--name <name>`, and what `--help` says of it. */
  readonly flag: string;
  readonly help: string;
  /** In the console, and below the field of the form. */
  readonly label: string;
  readonly hint?: string;
}

/** The fields of a consumer that are texts. How each is read is in `consumerFields` of the model. */
export type ConsumerTextName = Exclude<
  { [N in keyof Consumer]: Consumer[N] extends string | null ? N : never }[keyof Consumer],
  'id'
>;

const texts = {
  name: {
    flag: '--name <name>',
    help: 'what back ends see as X-Consumer-Username; its id when left out',
    label: 'Name',
    hint: 'What back ends see. Without it they see the id.',
  },
  description: {
    flag: '--description <text>',
    help: 'a description for operators',
    label: 'Description',
  },
  email: {
    flag: '--email <address>',
    help: 'whom to write to about it; not sent to back ends',
    label: 'E-mail',
    hint: 'Whom to write to. For operators only.',
  },
  team: {
    flag: '--team <name>',
    help: 'who looks after it; not sent to back ends',
    label: 'Team',
    hint: 'Who looks after it. For operators only.',
  },
} as const satisfies Readonly<Record<ConsumerTextName, ConsumerText>>;

/**
 * Every text of a consumer, in the order in which they are given and shown. A new one does not compile without a row.
 */
export const consumerTexts: readonly (ConsumerText & { readonly name: ConsumerTextName })[] = Object.entries(texts).map(
  ([name, text]) => ({ name: name as ConsumerTextName, ...text }),
);
