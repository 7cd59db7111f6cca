import type { ClientSettings } from '../../../check/methods/presentation/guide.ts';
import type { ClientNames } from '../../../check/methods/presentation/presentation.ts';

/** What a sample does: one call, by a client that is made for this credential. */
export interface FirstCall {
  /** What the client calls the method. */
  readonly client: ClientNames;
  /** Whether the client takes a private key besides the App Key. */
  readonly hasPrivateKey: boolean;
  /** Whether the client takes an App Secret besides the App Key. */
  readonly hasAppSecret: boolean;
  readonly settings: ClientSettings;
  /** The HTTP method. */
  readonly http: string;
  /** A JSON body; null for none. */
  readonly body: string | null;
}

/** A file of the folder that a partner gets. */
export interface SampleFile {
  readonly name: string;
  /** Ends with a line feed. */
  readonly text: string;
}

/** What the sample of a first call is written in. */
export interface SampleLanguage {
  /** As people write it. */
  readonly title: string;
  /** How blocks of it are marked in Markdown. */
  readonly fence: string;
  /** The file that the program is in. */
  readonly programName: string;
  /** Written after the README of the client: its first example, or the one with a private key, with this call. */
  readonly program: (call: FirstCall) => string;
  /** What else the folder needs, such as a list of packages. */
  readonly projectFiles: (call: Pick<FirstCall, 'hasPrivateKey'>) => readonly SampleFile[];
  /** Shell commands that install the client in the folder; none where the file is enough. */
  readonly install: readonly string[];
  /** The shell command that makes the call. */
  readonly run: string;
}

/** A programming language that has a signing client. `languages.ts` lists them all. */
export interface Language extends SampleLanguage {
  /** The folder of its client below `clients/`. */
  readonly client: string;
  /** The file with the client, as its `run build` makes it: the operator sends it along until it is published. */
  readonly artefact: string;
}

/** A text as a literal with double quotes, as most languages have it. */
export function literal(text: string): string {
  return JSON.stringify(text);
}

/** A text as a literal with single quotes, as the clients of JavaScript and PHP are shown with. */
export function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
