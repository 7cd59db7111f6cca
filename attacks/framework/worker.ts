import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of the attacks that answers questions, one after the other. */
export interface Worker<Q, A> extends AsyncDisposable {
  /**
   * Rejects when the process ends, or with what went wrong there. @param onNote called for each note that the worker
   * sends, before it goes on.
   */
  ask(question: Q, onNote?: () => Promise<void>): Promise<A>;
}

type FromWorker<A> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'note' }
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'failure'; readonly text: string };
type ToWorker<Q> = { readonly kind: 'question'; readonly question: Q } | { readonly kind: 'go on' };

/** Starts a program that calls {@link answerQuestions}. */
export async function startWorker<Q, A>(program: URL): Promise<Worker<Q, A>> {
  const child = fork(program, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
  const [ready] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [FromWorker<A>];
  if (typeof ready !== 'object') throw new Error(`${program.pathname} ended at its start`);
  return {
    ask: async (question, onNote) => await ask<A>(child, question, onNote),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function ask<A>(child: ChildProcess, question: unknown, onNote?: () => Promise<void>): Promise<A> {
  const send = (message: ToWorker<unknown>): void => {
    child.send(message);
  };
  return await new Promise<A>((resolve, reject) => {
    const ended = (): void => {
      reject(new Error('the process ended'));
    };
    const heard = (message: FromWorker<A>): void => {
      if (message.kind === 'note') {
        (onNote?.() ?? Promise.resolve()).then(() => {
          send({ kind: 'go on' });
        }, reject);
        return;
      }
      child.off('message', heard).off('exit', ended);
      if (message.kind === 'answer') resolve(message.answer);
      else if (message.kind === 'failure') reject(new Error(message.text));
    };
    child.on('message', heard).once('exit', ended);
    send({ kind: 'question', question });
  });
}

/** In a worker: answers each question; `note` resolves when the caller has taken note. */
export function answerQuestions(answer: (question: unknown, note: () => Promise<void>) => Promise<unknown>): void {
  let goOn: (() => void) | null = null;
  const send = (message: FromWorker<unknown>): void => {
    process.send?.(message);
  };
  const note = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
      send({ kind: 'note' });
    });
  };
  process.on('message', (message: ToWorker<unknown>) => {
    if (message.kind === 'go on') {
      goOn?.();
      return;
    }
    answer(message.question, note).then(
      (given) => {
        send({ kind: 'answer', answer: given });
      },
      (error: unknown) => {
        send({ kind: 'failure', text: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      },
    );
  });
  send({ kind: 'ready' });
}
