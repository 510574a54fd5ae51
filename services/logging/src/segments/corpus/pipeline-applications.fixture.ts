import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const service = from('checkout|ledger|search|mailer|gateway|catalog|scheduler|profile|inventory|notifier')
const person = from(
  'Grace Mbeki|Filip Horák|Yara Nassar|Ben Whitaker|Zofia Wrona|Diego Salas|Ines Faria|Arjun Mehta|Kerstin Vogt|Tariq Aziz',
)
const sentence = from(
  'The import stops when a row has no tax code.|Quarterly revenue rose by four percent, mostly in services.|Two reviewers disagreed about the second endpoint.|Users reach the limit after the third upload.|The valve was replaced and the pressure is stable.|Rents in the district fell for the first time since 2012.|A key was rotated without telling the partner.|Patients who slept more reported less pain.|The tribunal dismissed the appeal.|Remember to drain the tank before winter.|Write tests before you touch the parser.|Attendance was highest on the second day.|The clause on liability was struck out.|Turn the dial until it clicks.|Nobody has paged the owner of the queue.',
)
const text = (v: Values, low: number, high: number) => v.many(low, high, () => sentence(v), ' ')
const commit = from(
  'fix race in retry|bump zod to 4|add index on orders|remove dead flag|cache exchange rates|rename Tenant to Workspace|log slow queries|revert "cache exchange rates"|handle empty cart',
)
const sql = (v: Values) =>
  v.many(
    1,
    5,
    () =>
      `${v.pick(['orders', 'customers', 'invoices', 'sessions', 'refunds', 'products'])}(${v.many(2, 5, () => v.pick(['id', 'created_at', 'amount', 'status', 'email', 'sku', 'country']), ', ')})`,
    '\n',
  )

/** What programs of a company send: steps of pipelines, agents with tools, jobs over documents and code. */
export const PIPELINE_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You are step 2 of 4 of a document pipeline.\nInput: one paragraph.\nOutput: JSON {"topic": string, "entities": string[], "is_financial": boolean}\nDo not explain. Do not wrap the JSON in a fence.\n\nParagraph:\n${text(v, 1, 5)}`,
  (v) =>
    `You are step 3 of 4 of a document pipeline.\nInput: one paragraph.\nOutput: JSON {"claims": string[], "needs_source": boolean}\nDo not explain. Do not wrap the JSON in a fence.\n\nParagraph:\n${text(v, 1, 5)}`,
  (v) =>
    `You write release notes for the service "${service(v)}" (version ${v.int(1, 9)}.${v.int(0, 20)}.${v.int(0, 9)}).\n\nCommits since the last release:\n${v.many(2, 9, () => `* ${commit(v)} (${v.int(100, 999)})`, '\n')}\n\nGroup them under Added, Changed and Fixed. Leave out what users cannot notice.`,
  (v) =>
    `You review pull requests of the service "${service(v)}".\n\nCommits:\n${v.many(1, 6, () => `* ${commit(v)}`, '\n')}\n\nDiff:\n\`\`\`diff\n${v.many(3, 12, () => `${v.pick(['+', '-'])} ${v.pick(['return total', 'await save(order)', 'if (!user) throw', 'const rate = 0.2', 'log.warn("slow")'])}`, '\n')}\n\`\`\`\n\nPoint out bugs only. One comment per bug, with the line it is about.`,
  (v) =>
    `Schema:\n${sql(v)}\n\nDialect: ${v.pick(['PostgreSQL 16', 'MySQL 8', 'SQLite', 'DuckDB', 'BigQuery'])}\n\nTurn the question into one SELECT statement. Never write to the database. If the schema cannot answer it, return the word IMPOSSIBLE.`,
  (v) =>
    `Schema:\n${sql(v)}\n\nQuery:\nSELECT ${v.pick(['count(*)', 'sum(amount)', 'max(created_at)', 'email'])} FROM ${v.pick(['orders', 'customers', 'refunds'])} WHERE ${v.pick(['status', 'country', 'sku'])} = '${v.pick(['open', 'DE', 'A-12', 'paid'])}'\n\nExplain in plain words what the query returns, for somebody who has never seen SQL.`,
  (v) =>
    `Incident ${v.int(100, 9999)} in ${service(v)}\nSeverity: ${v.pick(['SEV1', 'SEV2', 'SEV3'])}\nCommander: ${person(v)}\nTimeline:\n${v.many(3, 9, () => `${v.int(10, 23)}:${v.int(10, 59)} ${v.pick(['alert fired', 'rolled back', 'paged on-call', 'error rate at 12 %', 'customers notified', 'traffic shifted', 'root cause found'])}`, '\n')}\n\nDraft the public status update. No blame, no internal names, under 80 words.`,
  (v) =>
    `Incident ${v.int(100, 9999)} in ${service(v)}\nSeverity: ${v.pick(['SEV1', 'SEV2', 'SEV3'])}\nCommander: ${person(v)}\nTimeline:\n${v.many(3, 9, () => `${v.int(10, 23)}:${v.int(10, 59)} ${v.pick(['alert fired', 'rolled back', 'paged on-call', 'error rate at 12 %', 'customers notified', 'traffic shifted', 'root cause found'])}`, '\n')}\n\nList the action items for the postmortem, each with an owner and a date.`,
  (v) =>
    `You are an autonomous research agent.\n\nGoal: ${v.pick(['find suppliers of recycled glass', 'compare three payroll tools', 'check the claims of a press release', 'collect grants for rural clinics', 'map the competitors of a bakery chain'])}\nBudget: ${v.int(5, 50)} tool calls\nTools: ${['web_search', 'open_page', 'python', 'save_note', 'ask_user'].filter(() => v.chance(0.8)).join(', ')}\nNotes so far:\n${v.many(0, 5, () => `- ${sentence(v)}`, '\n')}\n\nThink about which tool brings you closest to the goal, call exactly one, and stop when the goal is reached.`,
  (v) =>
    `Classify the support ticket.\n\nCategories:\n- billing\n- bug\n- feature request\n- account\n\nExamples:\n${v.many(2, 6, () => `Ticket: ${v.pick(['charged twice', 'page is blank', 'please add dark mode', 'cannot log in', 'wrong VAT', 'export hangs'])}\nCategory: ${v.pick(['billing', 'bug', 'feature request', 'account'])}`, '\n\n')}\n\nReturn only the name of the category.`,
  (v) =>
    `Meeting transcript, ${v.int(2024, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)}, ${v.int(2, 9)} participants\n\n${v.many(3, 10, () => `${person(v)}: ${sentence(v)}`, '\n')}\n\nExtract decisions and open questions as two lists. Attribute each to a speaker.`,
  (v) =>
    `Meeting transcript, ${v.int(2024, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)}, ${v.int(2, 9)} participants\n\n${v.many(3, 10, () => `${person(v)}: ${sentence(v)}`, '\n')}\n\nWrite the follow-up mail that ${person(v)} will send to the participants. Friendly, five sentences.`,
  (v) =>
    `{"system": "You score answers of another model.", "criterion": ${JSON.stringify(v.pick(['is polite', 'cites a source', 'answers in German', 'contains no advice', 'fits the question']))}, "answer": ${JSON.stringify(text(v, 1, 4))}, "format": "Return a number from 0 to 1."}`,
  (v) =>
    `Contract clause review for ${v.pick(['a tenant', 'a landlord', 'a supplier', 'a freelancer', 'an employer'])}.\n\nClause:\n"${text(v, 1, 3)}"\n\nName the risk in one sentence, rate it low, medium or high, and suggest a wording that a court would accept.`,
  (v) =>
    `Plan: ${v.int(1, 5)}/${v.int(5, 9)} steps done\nLast observation: ${sentence(v)}\nLast error: ${v.pick(['none', 'timeout', 'permission denied', 'file not found', 'rate limited'])}\n\nYou control a browser. Decide on the next action: CLICK, TYPE, SCROLL, BACK or FINISH. Reply with the action and its target on one line.`,
  (v) =>
    `Redact the text for publication. Replace names of people by initials, amounts by [amount], and dates by their year. Change nothing else.\n\n${person(v)} wrote: ${text(v, 2, 6)}`,
  (v) =>
    `Unit tests in ${v.pick(['Python', 'Go', 'Rust', 'Kotlin', 'TypeScript'])} for the function below. Cover the edge cases. Use the standard test framework of the language and no mocks.\n\n\`\`\`\n${v.code()}\n\`\`\``,
]
