/** Tables that grow with traffic. Those of settings have some thousand rows at most. */
export const largeTables: ReadonlySet<string> = new Set([
  'audit_event',
  'audit_log',
  'billing_request',
  'call',
  'call_event',
  'call_slice',
  'call_turn',
  'charge',
  'distill_sample',
  'eval_look',
  'eval_sample',
  'exchange',
  'exchange_content',
  'failed_request',
  'grading_frame_item',
  'grpo_rollout',
  'judgement',
  'label',
  'ledger_entry',
  'raft_sample',
  'review_grade',
  'segment_variant',
  'shadow_sample',
  'span',
  'stored_response',
  'tool_call',
  'usage_hour',
  'usage_user_hour',
])

const table = String.raw`(?:IF NOT EXISTS |ONLY )?"?(\w+)"?`
const indexOn = new RegExp(
  String.raw`^CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?"?\w+"? ON ${table}`,
)
const changeOf = new RegExp(`^(UPDATE|DELETE FROM) ${table}`)
const alterationOf = new RegExp(`^ALTER TABLE ${table} (.+)$`)
const created = new RegExp(`CREATE TABLE ${table}`, 'g')

/** Statements of a migration that read or write a whole table that may be large, so that an operator has to plan for them. */
export function longStatements(sql: string): readonly string[] {
  // Bodies of functions are not executed by the migration.
  const text = sql.replaceAll(/--.*$/gm, '').replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, 'body')
  const own = new Set([...text.matchAll(created)].map(([, name]) => name))
  const isLarge = (name: string | undefined) => name !== undefined && largeTables.has(name) && !own.has(name)
  return text
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter((statement) => {
      const [, altered, change = ''] = alterationOf.exec(statement) ?? []
      return (
        isLarge(indexOn.exec(statement)?.[1]) ||
        isLarge(changeOf.exec(statement)?.[2]) ||
        /^INSERT INTO .+ SELECT /.test(statement) ||
        (isLarge(altered) && readsRows(change))
      )
    })
}

/** A column with a constant default reads no row, nor does a constraint that is not validated yet. */
function readsRows(change: string): boolean {
  return (
    /SET NOT NULL|VALIDATE| TYPE |ADD (?:CONSTRAINT|CHECK|FOREIGN|UNIQUE|PRIMARY)/.test(change) &&
    !/NOT VALID/.test(change)
  )
}
