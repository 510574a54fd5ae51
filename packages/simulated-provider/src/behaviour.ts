/** A defect of a reply. The same words name models (`sim/cut-100`) and scripts (`cut-100`). */
export type Behaviour =
  | { kind: 'fail'; status: number; times: number }
  | { kind: 'slow'; ms: number }
  | { kind: 'pace'; ms: number }
  | { kind: 'cut'; bytes: number }
  | { kind: 'stall'; bytes: number }
  | { kind: 'cached'; tokens: number }
  | { kind: 'reasoning'; tokens: number }
  /** Reasons without showing it, and pauses after the last token. */
  | { kind: 'late'; tokens: number }
  | { kind: 'judge'; tpr: number; tnr: number }
  /** Reports as cached what earlier requests with the same key have in common with the prompt. */
  | { kind: 'recall' }
  | { kind: 'hangup' | 'malformed' | 'errorframe' | 'errorfirst' | 'no-usage' | 'zero-usage' | 'early-usage' }

const plainKinds = [
  'hangup',
  'malformed',
  'errorframe',
  'errorfirst',
  'no-usage',
  'zero-usage',
  'early-usage',
  'recall',
] as const

/**
 * Reads `fail-503`, `fail-503-2`, `slow-200`, `pace-5`, `cut-100`, `stall-100`, `cached-64`, `reasoning-32`, `late-32`,
 * `judge-0.5-0.9` (a judge with these rates), `hangup`, `malformed`, `errorframe`, `errorfirst`, `no-usage`, `zero-usage`,
 * `early-usage` (a stream reports its usage at the start only) or `recall`; null for anything else.
 */
export function parseBehaviour(text: string): Behaviour | null {
  const plain = plainKinds.find((kind) => kind === text)
  if (plain !== undefined) return { kind: plain }
  const failure = /^fail-([45]\d\d)(?:-([1-9]\d{0,3}))?$/.exec(text)
  if (failure) return { kind: 'fail', status: Number(failure[1]), times: Number(failure[2] ?? Infinity) }
  const judge = /^judge-(0(?:\.\d{1,6})?|1)-(0(?:\.\d{1,6})?|1)$/.exec(text)
  if (judge) return { kind: 'judge', tpr: Number(judge[1]), tnr: Number(judge[2]) }
  const measured = /^(slow|pace|cut|stall|cached|reasoning|late)-(\d{1,7})$/.exec(text)
  return measured ? withAmount(String(measured[1]), Number(measured[2])) : null
}

function withAmount(kind: string, amount: number): Behaviour | null {
  if (kind === 'slow' || kind === 'pace') return { kind, ms: amount }
  if (kind === 'cut' || kind === 'stall') return { kind, bytes: amount }
  if (kind === 'cached' || kind === 'reasoning' || kind === 'late') return { kind, tokens: amount }
  return null
}
