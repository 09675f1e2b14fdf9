import {button, element} from '../dom';

export interface Tab {
  title: string;
  panel: HTMLElement;
}

/// Shows one of several panels. Arrow keys move between the titles.
export class Tabs {
  readonly root: HTMLElement;
  private readonly titles: HTMLButtonElement[];

  constructor(private readonly tabs: Tab[], label: string) {
    this.titles = tabs.map(({title, panel}, at) => {
      const attributes = {role: 'tab', id: `tab-${panel.id}`, 'aria-controls': panel.id};
      panel.setAttribute('role', 'tabpanel');
      return button(title, () => this.open(at), attributes);
    });
    const list =
        element('div', {role: 'tablist', 'aria-label': label, class: 'tabs'}, ...this.titles);
    list.onkeydown = event => this.move(event);
    this.root = element('div', {class: 'tabbed'}, list, ...tabs.map(({panel}) => panel));
    this.open(0);
  }

  open(at: number): void {
    this.tabs.forEach(({panel}, i) => {
      panel.hidden = i !== at;
      this.titles[i].setAttribute('aria-selected', String(i === at));
      this.titles[i].tabIndex = i === at ? 0 : -1;
    });
  }

  private move(event: KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!by) return;
    event.stopPropagation();  // the arrows also move the timeline
    const at = this.titles.indexOf(document.activeElement as HTMLButtonElement);
    const next = (at + by + this.titles.length) % this.titles.length;
    this.open(next);
    this.titles[next].focus();
  }
}
