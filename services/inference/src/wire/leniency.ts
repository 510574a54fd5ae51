/** What may be left out of a request that a model cannot take as it is, and what was left out. */
export interface Leniency {
  /**
   * True for a model that answers in place of another one that failed: parameters that change the answer are then left
   * out too, because an answer without them is better than none.
   */
  readonly dropsParameters: boolean
  /** Names of what was left out, as the client knows them. The adapter adds to it while it converts the request. */
  readonly dropped: Set<string>
}

/** More names than these are not listed, so that the header stays short whatever a body has. */
const maxNames = 32

/** Records that a member was left out. Its name is shortened and contains only characters that a header may have. */
export function drop({ dropped }: Leniency, name: string): void {
  if (dropped.size < maxNames) dropped.add(name.slice(0, 64).replace(/[^\w.:=-]/g, '_'))
}

/** The value of the header that names what was left out; empty when nothing was. */
export function droppedNames(leniency: Leniency | undefined): string {
  return leniency === undefined || leniency.dropped.size === 0 ? '' : [...leniency.dropped].join(',')
}
