import { CriterionCheck } from '@ratchet/contracts/criterion-checks'

export type CheckType = CriterionCheck['type']

/** A check as its fields show it. Fields that its type does not have are empty. */
export interface CheckDraft {
  readonly type: CheckType
  readonly negate: boolean
  /** A pattern, a schema, the arguments of a tool, or a script; values one per line. */
  readonly text: string
  /** The name of a tool. */
  readonly name: string
  readonly min: number | string
  readonly max: number | string
}

/** The types in the order in which they are offered, with what holds. */
export const checkTypes: readonly (readonly [CheckType, string])[] = [
  ['json', 'It is JSON'],
  ['json_schema', 'It is JSON of a schema'],
  ['contains', 'It contains texts'],
  ['regex', 'It matches a pattern'],
  ['length', 'Its number of words'],
  ['characters', 'Its number of characters'],
  ['tool_called', 'It calls a tool'],
  ['no_tool_call', 'It calls no tool'],
  ['script', 'A script says so'],
]

const scriptStart = `function check({ text, response, messages, tools }) {
  return { pass: text !== '', reason: 'the answer is empty' }
}
`

export function newCheck(type: CheckType): CheckDraft {
  return { type, negate: false, text: type === 'script' ? scriptStart : '', name: '', min: '', max: '' }
}

export function draftOf(check: CriterionCheck): CheckDraft {
  const draft = { ...newCheck(check.type), text: '', negate: check.negate }
  switch (check.type) {
    case 'contains':
      return { ...draft, text: check.values.join('\n') }
    case 'regex':
      return { ...draft, text: check.pattern }
    case 'json_schema':
      return { ...draft, text: JSON.stringify(check.schema, null, 2) }
    case 'length':
    case 'characters':
      return { ...draft, min: check.min, max: check.max }
    case 'tool_called':
      return { ...draft, name: check.name, text: check.args === undefined ? '' : JSON.stringify(check.args, null, 2) }
    case 'script':
      return { ...draft, text: check.source }
    default:
      return draft
  }
}

export type ReadCheck =
  | { readonly kind: 'check'; readonly check: CriterionCheck }
  | { readonly kind: 'wrong'; readonly problem: string }

/** The check of the fields, or what is wrong with them. */
export function readDraft(draft: CheckDraft): ReadCheck {
  const fields = fieldsOf(draft)
  if (fields === null) return { kind: 'wrong', problem: 'This is no JSON object.' }
  const parsed = CriterionCheck.safeParse({ type: draft.type, negate: draft.negate, ...fields })
  if (parsed.success) return { kind: 'check', check: parsed.data }
  return { kind: 'wrong', problem: parsed.error.issues[0]?.message ?? 'This is not complete.' }
}

/** All checks; null when one is wrong. */
export function readDrafts(drafts: readonly CheckDraft[]): CriterionCheck[] | null {
  const read = drafts.map(readDraft)
  const checks = read.flatMap((each) => (each.kind === 'check' ? [each.check] : []))
  return checks.length === drafts.length ? checks : null
}

/** Null when a text that must be JSON is not. */
function fieldsOf({ type, text, name, min, max }: CheckDraft): object | null {
  switch (type) {
    case 'contains':
      return { values: text.split('\n').filter((line) => line.trim() !== '') }
    case 'regex':
      return { pattern: text }
    case 'json_schema': {
      const schema = parseObject(text)
      return schema === null ? null : { schema }
    }
    case 'length':
    case 'characters':
      return { ...(min === '' ? {} : { min }), ...(max === '' ? {} : { max }) }
    case 'tool_called': {
      const args = text.trim() === '' ? undefined : parseObject(text)
      return args === null ? null : { name, ...(args === undefined ? {} : { args }) }
    }
    case 'script':
      return { source: text }
    default:
      return {}
  }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
