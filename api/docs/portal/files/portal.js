// The search, tabs and copy buttons of the documentation. Without it every page can be read as it is.

const ROOT = document.body.dataset.root;
const FOUND_MAX = 12;

/** Addresses in examples are those of this service, unless it was told its own. */
function ownAddress() {
  if (location.host === 'localhost:8080') return;
  for (const code of document.querySelectorAll('pre code')) {
    if (!code.textContent.includes('localhost:8080')) continue;
    code.textContent = code.textContent.replaceAll(/(?:http:\/\/)?localhost:8080/g, location.origin);
  }
}

function copyButtons() {
  if (!navigator.clipboard) return;
  for (const figure of document.querySelectorAll('.code')) {
    if ((figure.querySelector('figcaption')?.textContent ?? 'Output') === 'Output') continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
    figure.append(button);
  }
}

/** One sample at a time. The language that was chosen is chosen on every page. */
function tabs() {
  for (const group of document.querySelectorAll('.samples')) {
    const samples = [...group.querySelectorAll('.code')];
    const names = samples.map((sample) => sample.querySelector('figcaption').textContent);
    const bar = document.createElement('div');
    bar.className = 'tabs';
    bar.setAttribute('role', 'tablist');
    const buttons = names.map((name, index) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      button.setAttribute('role', 'tab');
      button.addEventListener('click', () => choose(index));
      button.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (step === undefined) return;
        const next = (index + step + names.length) % names.length;
        choose(next);
        buttons[next].focus();
      });
      return button;
    });
    const choose = (chosen) => {
      for (const [index, button] of buttons.entries()) {
        button.setAttribute('aria-selected', String(index === chosen));
        button.tabIndex = index === chosen ? 0 : -1;
        samples[index].hidden = index !== chosen;
      }
      kept('language', names[chosen]);
    };
    bar.append(...buttons);
    group.before(bar);
    choose(Math.max(0, names.indexOf(kept('language'))));
  }
}

/** Reads or keeps a choice. Browsers may refuse to store anything. */
function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** The best rows for what was typed: every word must occur, and words of the title weigh most. */
function found(rows, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored = rows.map((row, order) => {
    const [place, title, kind, more] = row.map((text) => text.toLowerCase());
    let score = 0;
    for (const word of words) {
      if (title === word) score += 60;
      else if (title.startsWith(word)) score += 30;
      else if (title.includes(word)) score += 20;
      else if (more.includes(word) || place.includes(word)) score += 5;
      else if (kind.includes(word)) score += 2;
      else return { row, order, score: 0 };
    }
    return { row, order, score: place.includes('#') ? score : score + 3 };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, FOUND_MAX)
    .map(({ row }) => row);
}

function search() {
  const form = document.getElementById('search');
  const input = form.querySelector('input');
  const list = document.getElementById('found');
  let rows = null;
  let selected = -1;

  const load = async () => {
    rows ??= fetch(`${ROOT}search.json`).then((response) => response.json());
    return rows;
  };
  const hide = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const select = (index) => {
    const options = [...list.querySelectorAll('[role=option]')];
    if (options.length === 0) return;
    selected = (index + options.length) % options.length;
    for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === selected));
    input.setAttribute('aria-activedescendant', options[selected].id);
    options[selected].scrollIntoView({ block: 'nearest' });
  };
  const show = async () => {
    const typed = input.value;
    if (typed.trim() === '') return hide();
    const results = found(await load(), typed);
    // Something else was typed meanwhile.
    if (input.value !== typed) return;
    list.replaceChildren(
      ...results.map(([place, title, kind], index) => {
        const item = document.createElement('li');
        item.id = `found-${index}`;
        item.setAttribute('role', 'option');
        const link = document.createElement('a');
        link.href = ROOT + place;
        link.tabIndex = -1;
        const what = document.createElement('span');
        what.textContent = kind;
        link.append(title, what);
        item.append(link);
        return item;
      }),
    );
    if (results.length === 0) {
      const none = document.createElement('li');
      none.className = 'none';
      none.textContent = 'Nothing found.';
      list.append(none);
    }
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    select(0);
  };

  form.hidden = false;
  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') select(selected + 1);
    else if (event.key === 'ArrowUp') select(selected - 1);
    else if (event.key === 'Escape') hide();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', hide);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // What is selected stays selected.
    if (list.hidden) await show();
    const place = list.querySelector('[aria-selected=true] a')?.href;
    hide();
    if (place !== undefined) location.assign(place);
  });
  document.addEventListener('click', ({ target }) => form.contains(target) || hide());
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(input|textarea|select)$/i.test(document.activeElement?.tagName ?? '');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}

// Links to operations of the page that was here before.
if (location.hash.startsWith('#/')) location.replace(`${ROOT}try${location.hash}`);
ownAddress();
tabs();
copyButtons();
search();
