'use strict';
(() => {
  const root = document.documentElement;
  const tree = document.getElementById('tree');
  const main = document.getElementById('path');
  const sections = [...main.querySelectorAll('section.branch')];
  const lines = new Map(); // of the tree, by the id of their entry
  for (const a of tree.querySelectorAll('ol a')) lines.set(a.hash.slice(1), a);
  root.classList.add('js');

  // show displays the path that ends with a section: of each section above it
  // the part up to where the next one leaves.
  function show(section) {
    const upTo = new Map();
    for (let s = section, cut = null; s;) {
      upTo.set(s, cut);
      cut = s.dataset.from ? document.getElementById(s.dataset.from) : null;
      s = cut && cut.closest('section');
    }
    for (const s of sections) {
      s.hidden = !upTo.has(s);
      if (s.hidden) continue;
      let behind = false;
      for (const leaf of s.querySelectorAll(':scope > div')) {
        if (leaf.hidden !== behind) leaf.hidden = behind;
        for (const a of leaf.children) {
          if (a.hidden !== behind) a.hidden = behind;
          if (a === upTo.get(s)) behind = true;
        }
      }
    }
  }

  function go() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || target.localName !== 'article') return;
    const section = target.closest('section');
    if (target.hidden || section.hidden) show(section);
    target.scrollIntoView();
    mark(target);
  }

  function before(article) {
    const leaf = article.previousElementSibling ? null : article.parentElement.previousElementSibling;
    return leaf ? leaf.lastElementChild : article.previousElementSibling;
  }

  // mark shows in the tree where the reader is. Results have no line of their
  // own: that of the call before them is taken.
  let marked = null;
  function mark(article) {
    let line = null;
    for (let a = article; a && !line; a = before(a)) line = lines.get(a.id);
    if (!line || line === marked) return;
    if (marked) marked.removeAttribute('aria-current');
    marked = line;
    line.setAttribute('aria-current', 'location');
    for (let d = line.closest('details'); d; d = d.parentElement.closest('details')) d.open = true;
    if (!tree.contains(document.activeElement)) line.scrollIntoView({ block: 'nearest' });
  }

  // here is the entry at the top of the window.
  function here() {
    const box = main.getBoundingClientRect();
    const at = document.elementFromPoint(box.left + box.width / 2, 60);
    return at && at.closest('article');
  }

  let waiting = false;
  addEventListener('scroll', () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const article = here();
      if (article) mark(article);
    });
  }, { passive: true });

  // filter leaves the lines that contain all words.
  const filter = document.getElementById('filter');
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const a of lines.values()) {
      const text = a.textContent.toLowerCase();
      a.parentElement.hidden = !words.every((w) => text.includes(w));
    }
    tree.classList.toggle('filtered', words.length > 0);
    if (words.length > 0) for (const d of tree.querySelectorAll('details:not([open])')) d.open = true;
  });

  // step moves the focus to the next or previous line of the tree.
  function step(from, forward) {
    const walker = document.createTreeWalker(tree, NodeFilter.SHOW_ELEMENT, (e) =>
      (e.localName === 'a' || e.localName === 'summary') && e.checkVisibility() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
    walker.currentNode = from;
    const to = forward ? walker.nextNode() : walker.previousNode();
    if (to) to.focus();
  }

  tree.addEventListener('keydown', (e) => {
    const line = e.target.closest('a, summary');
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'ArrowDown') {
      step(line || filter, true);
    } else if (e.key === 'ArrowUp' && line) {
      step(line, false);
    } else if (e.key === 'ArrowRight' && line && line.localName === 'summary') {
      line.parentElement.open = true;
    } else if (e.key === 'ArrowLeft' && line) {
      const twig = line.closest('details');
      if (!twig) return;
      if (line.localName === 'summary' && !twig.open) return;
      twig.open = false;
      twig.firstElementChild.focus();
    } else if (e.key === 'Escape' && e.target === filter) {
      filter.value = '';
      filter.dispatchEvent(new Event('input'));
    } else {
      return;
    }
    e.preventDefault();
  });

  const onPath = 'section:not([hidden]) article:not([hidden])';

  // prompt goes to the next or previous message of a person on the path. It
  // asks for no places on the page: that would lay out all of it.
  function prompt(forward) {
    const from = here() || main.querySelector('header');
    const side = forward ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const all = [...main.querySelectorAll(`${onPath}.person`)];
    const there = (a) => from.compareDocumentPosition(a) & side;
    const to = forward ? all.find(there) : all.findLast(there);
    if (to) to.scrollIntoView();
  }

  let open = false;
  function expand() {
    open = !open;
    for (const d of main.querySelectorAll(`${onPath} details`)) d.open = open;
    document.getElementById('expand').textContent = open ? 'Close all' : 'Open all';
  }

  function theme() {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  }

  document.getElementById('expand').addEventListener('click', expand);
  document.getElementById('theme').addEventListener('click', theme);
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.localName === 'input') return;
    const keys = { j: () => prompt(true), k: () => prompt(false), e: expand, t: theme, '/': () => filter.focus() };
    if (!Object.hasOwn(keys, e.key)) return;
    keys[e.key]();
    e.preventDefault();
  });

  addEventListener('hashchange', go);
  if (sections.length > 0) show(sections[0]);
  go();
})();
