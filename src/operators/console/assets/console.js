// Niceties only: every page works without this file.

/** Buttons that copy a text: hidden in the page, because without script they would do nothing. */
for (const button of document.querySelectorAll('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy);
  if (source === null || navigator.clipboard === undefined) continue;
  const label = button.textContent;
  // Read out when it changes, beside the button whose own name stays the same.
  const told = document.createElement('span');
  told.setAttribute('role', 'status');
  told.className = 'muted';
  button.after(' ', told);
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      told.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(source);
      told.textContent = `${label} did not work: the text is selected`;
    }
  });
}

/** Files whose text goes into a field: hidden in the page, because without script they would do nothing. */
for (const part of document.querySelectorAll('[data-file-for]')) {
  const target = document.getElementById(part.dataset.fileFor);
  const input = part.querySelector('input');
  const told = part.querySelector('[role=status]');
  if (target === null || input === null || told === null) continue;
  part.hidden = false;
  input.addEventListener('change', async () => {
    const [file] = input.files;
    if (file === undefined) return;
    const isPublic = file.size <= Number(part.dataset.max) && !/PRIVATE KEY/.test(await file.text());
    if (isPublic) target.value = await file.text();
    told.textContent = isPublic ? 'It is in the field above.' : 'This is not a public key: nothing was taken from it.';
    input.value = '';
  });
}

/** Keys that lead to a field, unless one types. */
for (const field of document.querySelectorAll('[data-shortcut]')) {
  field.setAttribute('aria-keyshortcuts', field.dataset.shortcut);
  document.addEventListener('keydown', (event) => {
    const isTyping = document.activeElement?.matches('input, textarea, select');
    if (event.key !== field.dataset.shortcut || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    field.focus();
    // What was searched for before makes room.
    field.select();
  });
}
/** A page that shows how far something is looks again by itself, as its link does. */
if (document.querySelector('[data-reload]') !== null) setTimeout(() => location.assign(location.pathname), 2000);

/** Times are in UTC; pointing at one shows it in the reader's time zone. */
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
for (const element of document.querySelectorAll('time[datetime]')) {
  const time = new Date(element.dateTime);
  if (!Number.isNaN(time.getTime())) element.title = local.format(time);
}

/**
 * What was typed, for the way back to a page that browsers do not keep: a form that was sent is filled in again when Back
 * leads to it. Secrets and what the page hides are not kept, and all of it goes with the tab.
 */
const fieldsOf = (form) =>
  [...form.elements].filter(({ name, type }) => name !== '' && !/hidden|password|file/.test(type));
for (const form of document.querySelectorAll('form.change')) {
  const key = `form ${location.pathname}`;
  form.addEventListener('submit', () => {
    const typed = fieldsOf(form).map(({ type, value, checked }) => (type === 'checkbox' ? checked : value));
    sessionStorage.setItem(key, JSON.stringify(typed));
  });
  const kept = JSON.parse(sessionStorage.getItem(key) ?? '[]');
  if (performance.getEntriesByType('navigation')[0]?.type !== 'back_forward') continue;
  const fields = fieldsOf(form);
  if (fields.length !== kept.length) continue;
  for (const [index, field] of fields.entries()) {
    if (field.type === 'checkbox') field.checked = kept[index];
    else field.value = kept[index];
  }
}
