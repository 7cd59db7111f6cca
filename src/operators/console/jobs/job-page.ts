import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import type { Page, Shown, Visit } from '../frame/page.ts';
import { requireUse } from '../frame/rights.ts';
import { changeForm, hiddenField } from '../parts/form.ts';
import { table } from '../parts/table.ts';
import { badge, time } from '../parts/values.ts';
import type { JobSecret, KeptJob } from '../../../resources/changes/jobs.ts';
import { declareTime } from '../../../resources/declared.ts';
import { type JobState, stateOfJob } from './jobs.ts';

const TITLE = 'Your changes of several at once';

/** How far one's own changes of several at once are, and what came of them. */
export const jobPage: Page = {
  path: '/jobs',
  needs: 'read',
  show: async (visit) => {
    const jobs = await visit.jobs.of(visit.operator.id);
    const isRunning = jobs.some((job) => stateOfJob(job, visit.nowSeconds) === 'running');
    return {
      title: TITLE,
      body: html`<p class="muted">They go on when you leave this page, and are shown for a day; the audit trail keeps what was done.</p>
${isRunning ? html`<p><a href="/jobs" data-reload>Look again</a></p>` : null}
${jobs.length === 0 ? html`<p class="empty">There are none.</p>` : jobs.map((job) => section(job, visit))}`,
    };
  },
  submit: async (visit, form) => {
    const { jobs, operator } = visit;
    const id = form.text('job');
    if (form.isTicked('secrets')) return secretsOf(await takeReached(visit, id));
    await jobs.stop(operator.id, id);
    return { href: '/jobs', notice: 'job-stopped' };
  },
};

function section(job: KeptJob, visit: Visit): Html {
  const { id, title, steps, outcomes, startedAt } = job;
  const state = stateOfJob(job, visit.nowSeconds);
  const done = outcomes.filter(({ isDone }) => isDone).length;
  const [tried, all] = [outcomes.length, steps.length];
  const failed = tried - done;
  const rest = all - tried;
  return html`<section aria-labelledby="job-${id}">
<h2 id="job-${id}">${title}</h2>
<p>${stateTexts[state]}, started ${time(declareTime(startedAt))}: ${done} done, ${failed} not done, ${rest} not tried${
    state === 'running' ? ' yet' : null
  }.
<progress max="${all}" value="${tried}" aria-label="Tried of ${title}">${tried} of ${all}</progress></p>
${state === 'silent' ? silentNote(job) : null}
${state === 'running' ? changeForm(visit, hiddenField('job', id), html`<p class="buttons"><button type="submit">Stop</button></p>`) : null}
${state !== 'running' && outcomes.some(({ hasSecret }) => hasSecret) ? secretsForm(job, visit) : null}
${table({
  caption: `What came of: ${title}`,
  columns: ['Which', 'State', 'What'],
  rows: steps.map(({ name, href }, index) => {
    const outcome = outcomes[index];
    return [html`<a href="${href}">${name}</a>`, stateOf(outcome), outcome?.text ?? ''];
  }),
  empty: '',
})}
</section>`;
}

const stateTexts: Readonly<Record<JobState, string>> = { running: 'Running', silent: 'Stopped', ended: 'Ended' };

function silentNote({ seenAt, steps, outcomes }: KeptJob): Html {
  const next = steps[outcomes.length]?.name;
  return html`<p class="warning" role="status">Nothing was heard of it since ${time(declareTime(seenAt))}: the process that made it has ended, or is
held up. ${next === undefined ? null : html`<strong>${next}</strong> may have been changed without being told here: look first.`}</p>`;
}

function stateOf(outcome: KeptJob['outcomes'][number] | undefined): Html {
  if (outcome === undefined) return badge('not tried', 'plain');
  return outcome.isDone ? badge('done', 'good') : badge('not done', 'bad');
}

function secretsForm({ id }: KeptJob, visit: Visit): Html {
  return changeForm(
    visit,
    hiddenField('job', id),
    hiddenField('secrets', 'yes'),
    html`<p class="buttons"><button type="submit" class="primary">Show the new secrets, once</button></p>`,
  );
}

/** The secrets of a job, by the rights that the operator has now. Rejects with `FORBIDDEN`. */
async function takeReached({ jobs, operator, api }: Visit, id: string): Promise<readonly JobSecret[]> {
  requireUse(operator, 'change-consumers');
  const reached: JobSecret[] = [];
  for (const each of await jobs.takeSecrets(operator.id, id)) {
    if ((await api.find(url`/v1/credentials/${each.name}`)) !== null) reached.push(each);
  }
  return reached;
}

function secretsOf(secrets: readonly JobSecret[]): Shown {
  return {
    title: 'The new secrets',
    trail: [{ href: '/jobs', text: TITLE }],
    body: html`<p class="warning">Copy them now: they are shown only once.</p>
${table({
  caption: 'New secrets',
  columns: ['Credential', 'Secret'],
  rows: secrets.map(({ name, secret }) => [
    name,
    secret === null
      ? 'The key ring does not open it: rotate again.'
      : html`<code>${secret.reveal().toString('utf8')}</code>`,
  ]),
  empty: 'They were shown before, and are not shown again. Rotate what was lost.',
})}`,
  };
}

/** The way to the jobs, beside what starts them. */
export function jobsLink(): Html {
  return html`<a href="/jobs">${TITLE}</a>`;
}
