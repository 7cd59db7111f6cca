import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import type { Page, Shown, Visit } from '../frame/page.ts';
import { changeForm, hiddenField } from '../parts/form.ts';
import { table } from '../parts/table.ts';
import { badge, time } from '../parts/values.ts';
import { type Job, MAX_JOBS } from './jobs.ts';

const TITLE = 'Your changes of several at once';

/** How far one's own changes of several at once are, and what came of them. */
export const jobPage: Page = {
  path: '/jobs',
  needs: 'read',
  show: async (visit) => {
    const jobs = visit.jobs.of(visit.operator.id);
    const isRunning = jobs.some(({ isEnded }) => !isEnded);
    return await Promise.resolve({
      title: TITLE,
      body: html`<p class="muted">They go on when you leave this page. This process knows the last ${MAX_JOBS} of them until it ends; the audit
trail keeps what was done.</p>
${isRunning ? html`<p><a href="/jobs" data-reload>Look again</a></p>` : null}
${jobs.length === 0 ? html`<p class="empty">There are none.</p>` : jobs.map((job) => section(job, visit))}`,
    });
  },
  submit: async ({ jobs, operator }, form) => {
    const id = form.text('job');
    if (form.isTicked('secrets')) return await Promise.resolve(secretsOf(jobs.takeSecrets(operator.id, id)));
    jobs.stop(operator.id, id);
    return await Promise.resolve({ href: '/jobs', notice: 'job-stopped' });
  },
};

function section(job: Job, visit: Visit): Html {
  const { id, title, steps, outcomes, isEnded, startedAtSeconds } = job;
  const started = `${new Date(startedAtSeconds * 1000).toISOString().slice(0, 19)}Z`;
  const done = outcomes.filter(({ isDone }) => isDone).length;
  const [tried, all] = [outcomes.length, steps.length];
  const failed = tried - done;
  const rest = all - tried;
  return html`<section aria-labelledby="job-${id}">
<h2 id="job-${id}">${title}</h2>
<p>${isEnded ? 'Ended' : 'Running'}, started ${time(started)}: ${done} done, ${failed} not done, ${rest} not tried${isEnded ? null : ' yet'}.
<progress max="${all}" value="${tried}" aria-label="Tried of ${title}">${tried} of ${all}</progress></p>
${isEnded ? null : changeForm(visit, hiddenField('job', id), html`<p class="buttons"><button type="submit">Stop</button></p>`)}
${isEnded && outcomes.some(({ secret }) => secret !== undefined) ? secretsForm(job, visit) : null}
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

function stateOf(outcome: Job['outcomes'][number] | undefined): Html {
  if (outcome === undefined) return badge('not tried', 'plain');
  return outcome.isDone ? badge('done', 'good') : badge('not done', 'bad');
}

function secretsForm({ id }: Job, visit: Visit): Html {
  return changeForm(
    visit,
    hiddenField('job', id),
    hiddenField('secrets', 'yes'),
    html`<p class="buttons"><button type="submit" class="primary">Show the new secrets, once</button></p>`,
  );
}

function secretsOf(secrets: ReturnType<Visit['jobs']['takeSecrets']>): Shown {
  return {
    title: 'The new secrets',
    trail: [{ href: '/jobs', text: TITLE }],
    body: html`<p class="warning">Copy them now: they are shown only once.</p>
${table({
  caption: 'New secrets',
  columns: ['Credential', 'Secret'],
  rows: secrets.map(({ name, secret }) => [name, html`<code>${secret.reveal().toString('utf8')}</code>`]),
  empty: 'They were shown before, and are not shown again. Rotate what was lost.',
})}`,
  };
}

/** The way to the jobs, beside what starts them. */
export function jobsLink(): Html {
  return html`<a href="/jobs">${TITLE}</a>`;
}
