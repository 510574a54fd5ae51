/** A key, or several pressed after each other, that does something. Keys are data, so lists and the palette are made of them. */
export interface KeyCommand {
  /** Such as `row.next`. Preferences name it, so it never changes. */
  readonly id: string
  /** As tinykeys writes them: `$mod+k`, `g l`, `?`. */
  readonly keys: string
  readonly label: string
  readonly group: string
  /** A key that is held down acts once, for what must not be done by mistake. */
  readonly actsOnce?: boolean
}

/** Keys of every page. Features add theirs. */
export const commonCommands: readonly KeyCommand[] = [
  { id: 'palette', keys: '$mod+k', label: 'Search pages and actions', group: 'Everywhere' },
  { id: 'keys', keys: 'Shift+?', label: 'Show all keys', group: 'Everywhere' },
  { id: 'copy-link', keys: 'y', label: 'Copy a link to this page', group: 'Everywhere' },
  { id: 'create', keys: 'c', label: 'Create something here', group: 'Everywhere' },
  { id: 'submit', keys: '$mod+Enter', label: 'Send the form', group: 'Everywhere' },
  { id: 'thing.previous', keys: '[', label: 'Previous one', group: 'Everywhere' },
  { id: 'thing.next', keys: ']', label: 'Next one', group: 'Everywhere' },
  { id: 'filter', keys: '/', label: 'Filter', group: 'Lists' },
  { id: 'row.next', keys: 'j', label: 'Next row', group: 'Lists' },
  { id: 'row.previous', keys: 'k', label: 'Previous row', group: 'Lists' },
  { id: 'row.open', keys: 'Enter', label: 'Open the row', group: 'Lists' },
  { id: 'row.select', keys: 'x', label: 'Select the row', group: 'Lists' },
  { id: 'close', keys: 'Escape', label: 'Close what is open', group: 'Lists' },
  { id: 'grade.fail', keys: 'f', label: 'Grade as fail', group: 'Grading' },
  { id: 'grade.pass', keys: 'p', label: 'Grade as pass', group: 'Grading' },
  { id: 'grade.why', keys: 'r', label: 'Write the reason of a grade', group: 'Grading' },
]
