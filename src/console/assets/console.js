// Pages work without this file. It copies, and shows times in the reader's time zone.

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copy)?.textContent ?? '';
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select it and copy';
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

for (const element of document.querySelectorAll('time[datetime]')) {
  const moment = new Date(element.dateTime);
  if (Number.isNaN(moment.getTime())) continue;
  element.title = moment.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
}
