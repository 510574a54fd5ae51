import type { Budget } from '@ratchet/contracts/budgets'

export const scopeWords: Readonly<Record<Budget['scope'], string>> = {
  workspace: 'The workspace',
  key: 'API key',
  user: 'End user',
  tag: 'Tag',
}

export const periodWords: Readonly<Record<Budget['period'], string>> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in all',
}

/** Whose budget it is. */
export function whoseText(
  { scope, subject }: Pick<Budget, 'scope' | 'subject'>,
  keyNames: ReadonlyMap<string, string>,
): string {
  if (scope === 'workspace') return scopeWords.workspace
  if (subject === '*') return `Each ${scope === 'key' ? 'API key' : scopeWords[scope].toLowerCase()}`
  return scope === 'key' ? (keyNames.get(subject) ?? subject) : subject
}
